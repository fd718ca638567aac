export default {
  base: "./",
  build: { target: "es2022" },
  // The worker loads the package's modules when it needs them, which scripts without imports cannot.
  worker: { format: "es" },
};
