// A worker of Node.js: a thread of the module over BLS12-381.
import { parentPort } from "node:worker_threads";

import * as glue from "../../wasm/bls12-381-threads.js";
import { serve } from "./serve.js";

serve(glue, parentPort);
