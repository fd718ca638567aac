// What browsers have of their own.
import { fetched } from "./fetched.js";

// A text is an address, as snarkjs takes it in browsers.
export const readText = (address) => fetched(address);
export const readUrl = (url) => fetched(url);

// A module finds its own file beside it.
export const moduleInput = async () => undefined;

export const withGpu = (open) => open();

// Lets events be delivered.
export const pause = () => new Promise((resolve) => setTimeout(resolve));
