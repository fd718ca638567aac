// A module with threads, in workers of its own: the first has its engine, and calls go there; the others are threads of its loops. The
// caller's thread never waits, which a page's may not do.
import { WgaloisError, ofModule } from "./errors.js";

const messageOf = (error) => (typeof error === "string" ? ofModule(error).message : error.message);

// A worker, which answers one message after the other.
class Thread {
  #worker;
  #answer = null;

  // `broken` hears of a fault.
  constructor(worker, broken) {
    this.#worker = worker;
    worker.listen(({ value, error, fault }) => {
      if (fault !== undefined) return broken(fault);
      const { resolve, reject } = this.#answer;
      this.#answer = null;
      return error === undefined ? resolve(value) : reject(error);
    }, broken);
  }

  ask(message) {
    const answer = new Promise((resolve, reject) => (this.#answer = { resolve, reject }));
    this.#worker.post(message);
    return answer;
  }

  // Node.js ends when it waits for nothing: it is to wait for an answer, not for a worker.
  async keptAlive(ask) {
    this.#worker.ref();
    try {
      return await ask();
    } finally {
      this.#worker.unref();
    }
  }

  end() {
    this.#worker.end();
  }
}

export class Threads {
  #threads = [];
  // The message of the fault that ended the threads.
  #fault = null;

  get count() {
    return this.#threads.length;
  }

  // Opens the module over a curve with `count` threads. `broken` hears of a fault that ends it.
  static async open(curve, count, platform, broken) {
    const opened = new Threads();
    const failed = (message) => new WgaloisError("no-device", `the threads cannot be started: ${message}`);
    await new Promise((resolve, reject) => {
      const end = (message) => {
        if (!opened.#end(message)) return;
        broken(message);
        reject(failed(message));
      };
      try {
        for (let i = 0; i < count; i++) opened.#threads.push(new Thread(platform.startWorker(curve), end));
        opened.#open(curve, platform).then(resolve, (error) => end(messageOf(error)));
      } catch (error) {
        end(error.message);
      }
    });
    return opened;
  }

  async #open(curve, platform) {
    const [first, ...others] = this.#threads;
    await first.keptAlive(async () => {
      const module = await platform.moduleWithThreads(curve);
      const memory = await first.ask({ action: "open", module });
      await Promise.all(others.map((thread) => thread.ask({ action: "open", module, memory })));
      for (const thread of others) thread.ask({ action: "run" });
      await first.ask({ action: "start", count: this.count });
    });
  }

  // Ends all threads; false if they have ended.
  #end(message) {
    if (this.#fault !== null) return false;
    this.#fault = message;
    this.#threads.forEach((thread) => thread.end());
    return true;
  }

  // Calls a method of an object of the module, or one of its functions.
  call(target, method, args) {
    const [first] = this.#threads;
    return first.keptAlive(() => first.ask({ action: "call", target, method, args }));
  }

  // A call that is under way hears nothing.
  stop() {}
}
