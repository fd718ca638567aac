import { WgaloisError } from "../errors.js";

// The bytes at an address.
export async function fetched(address) {
  const fault = (text, options) =>
    new WgaloisError("file", `${address}: ${text}`, { data: { path: String(address) }, ...options });
  let response;
  try {
    response = await fetch(address);
  } catch (error) {
    throw fault(error.message, { cause: error });
  }
  if (!response.ok) throw fault(`the server answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
