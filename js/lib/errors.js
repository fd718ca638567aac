// The errors of the package.

// What a call throws, or rejects with. `code` is the kind of the error; `data` is what is known of it.
export class WgaloisError extends Error {
  constructor(code, message, { data = null, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }

  get name() {
    return "WgaloisError";
  }
}

// `WrongLength` becomes `wrong-length`.
const kebab = (name) => name.replace(/(?<!^)[A-Z]/g, "-$&").toLowerCase();

// The variant of an error of the library, and its data. An error of a part has the variant of its cause.
function variantOf(data) {
  if (typeof data === "string") return [data, null];
  const [name, fields] = Object.entries(data)[0];
  return name === "Of" ? variantOf(fields.error) : [name, fields];
}

// The error that a module throws as a text of JSON.
export function ofModule(text) {
  const { message, data } = JSON.parse(text);
  const [variant, fields] = variantOf(data);
  return new WgaloisError(kebab(variant), message, { data: fields });
}

// Refuses an argument of the caller.
export const refuse = (message, options) => new WgaloisError("usage", message, options);

export function expectNotAborted(signal) {
  if (signal?.aborted) throw new WgaloisError("aborted", "the call was aborted", { cause: signal.reason });
}
