// What a worker of a module with threads does. The first one of a module has its engine, and answers calls; each of the others runs one
// of the threads of its loops, and hears nothing any more.

// Objects of the module stay here: the caller has their numbers.
const objects = new Map();
let last = 0;

const isObject = (value) => value !== null && typeof value === "object" && "__wbg_ptr" in value;
const received = (value) => (value?.object ? objects.get(value.object) : value);

function sent(value) {
  if (!isObject(value)) return value;
  objects.set(++last, value);
  return { object: last };
}

const ACTIONS = {
  // Opens the module: the first worker makes the memory, the others get it.
  async open(glue, { module, memory, tell }) {
    const exports = await glue.default({ module_or_path: module, memory });
    glue.onFault((message) => tell({ fault: message }));
    return exports.memory;
  },

  start(glue, { count }) {
    glue.startThreads(count);
  },

  run(glue) {
    glue.runThread();
  },

  call(glue, { target, method, args }) {
    const object = received(target);
    // What was used up has nothing to free.
    if (method === "free" && !object) return undefined;
    try {
      return sent((object ?? glue)[method](...args.map(received)));
    } finally {
      // What frees an object, or uses it up, leaves no pointer.
      if (object?.__wbg_ptr === 0) objects.delete(target.object);
      // The copies of what the caller gave: a witness is secret.
      for (const arg of args) if (arg instanceof Uint8Array) arg.fill(0);
    }
  },
};

export function serve(glue, port) {
  const tell = (message) => port.postMessage(message);
  port.onmessage = async ({ data: { action, ...given } }) => {
    try {
      tell({ value: await ACTIONS[action](glue, { ...given, tell }) });
    } catch (error) {
      // The module throws texts. All else is a trap, or no module.
      tell(typeof error === "string" ? { error } : { fault: error.message });
    }
  };
}
