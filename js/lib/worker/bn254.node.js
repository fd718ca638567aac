// A worker of Node.js: a thread of the module over BN254.
import { parentPort } from "node:worker_threads";

import * as glue from "../../wasm/bn254-threads.js";
import { serve } from "./serve.js";

serve(glue, parentPort);
