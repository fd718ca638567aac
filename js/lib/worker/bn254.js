// A worker in a page: a thread of the module over BN254.
import * as glue from "../../wasm/bn254-threads.js";
import { serve } from "./serve.js";

serve(glue, globalThis);
