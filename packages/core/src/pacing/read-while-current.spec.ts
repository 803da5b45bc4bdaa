import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../testing/virtual-clock.js';
import { type Reading, readWhileCurrent } from './read-while-current.js';

/** A program that reads until the test ends it, or its signal aborts it. */
class Program {
  #finish: ((text: string) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;
  reading: Reading | undefined;

  readonly run = (reading: Reading): Promise<string> => {
    this.reading = reading;
    reading.signal.addEventListener('abort', () => this.#fail?.(new Error('killed')));
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
  };

  finish(): void {
    this.#finish?.('rules');
  }

  fail(): void {
    this.#fail?.(new Error('no permission'));
  }
}

function start(signal?: AbortSignal) {
  const clock = new VirtualClock();
  const program = new Program();
  let isCurrent = true;
  const options = { clock, isCurrent: () => isCurrent, ...(signal ? { signal } : {}) };
  const result = readWhileCurrent(program.run, options);
  return { clock, program, result, change: () => (isCurrent = false) };
}

describe('readWhileCurrent', () => {
  test('the result is current when nothing changed', async () => {
    const { clock, program, result } = start();
    await clock.advance(1000);
    program.finish();
    expect(await result).toEqual({ value: 'rules', isCurrent: true });
  });

  test('a change aborts the reading within 100 ms', async () => {
    const { change, clock, program, result } = start();
    await clock.advance(250);
    change();
    expect(program.reading?.signal.aborted).toBe(false);
    await clock.advance(100);
    expect(program.reading?.signal.aborted).toBe(true);
    expect(await result).toBeUndefined();
  });

  test('a result read before the change was detected is not current', async () => {
    const { change, program, result } = start();
    change();
    program.finish();
    expect(await result).toEqual({ value: 'rules', isCurrent: false });
  });

  test('a change after everything has been read does not matter', async () => {
    const { change, clock, program, result } = start();
    program.reading?.end();
    change();
    await clock.advance(1000);
    expect(program.reading?.signal.aborted).toBe(false);
    program.finish();
    expect(await result).toEqual({ value: 'rules', isCurrent: true });
  });

  test('an error without a change is thrown', async () => {
    const { program, result } = start();
    program.fail();
    await expect(result).rejects.toThrow('no permission');
  });

  test('the signal of the caller aborts the reading with its error', async () => {
    const stopped = new AbortController();
    const { clock, result } = start(stopped.signal);
    const failed = expect(result).rejects.toThrow('killed');
    await clock.advance(100);
    stopped.abort();
    await failed;
  });

  test('the signal of the caller aborts the reading also when changes no longer matter', async () => {
    const stopped = new AbortController();
    const { program, result } = start(stopped.signal);
    program.reading?.end();
    stopped.abort();
    expect(program.reading?.signal.aborted).toBe(true);
    await expect(result).rejects.toThrow('killed');
  });

  test('a signal that was aborted before aborts at once', async () => {
    const { program, result } = start(AbortSignal.abort());
    expect(program.reading?.signal.aborted).toBe(true);
    program.finish();
    await result;
  });
});
