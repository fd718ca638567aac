// With these a page is cross-origin isolated, and the package has threads. The server of the built page has to send them, too.
const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

export default {
  base: "./",
  build: { target: "es2022" },
  // The worker loads the package's modules when it needs them, which scripts without imports cannot.
  worker: { format: "es" },
  server: { headers },
  preview: { headers },
};
