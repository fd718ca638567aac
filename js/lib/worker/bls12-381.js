// A worker in a page: a thread of the module over BLS12-381.
import * as glue from "../../wasm/bls12-381-threads.js";
import { serve } from "./serve.js";

serve(glue, globalThis);
