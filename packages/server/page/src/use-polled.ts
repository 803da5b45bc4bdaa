import { useEffect, useState } from 'preact/hooks';

/** The last answer of a query, and why the last attempt failed. */
export interface Polled<T> {
  readonly value: T | undefined;
  /** Undefined when the last attempt succeeded. */
  readonly error: string | undefined;
}

/**
 * Repeats a query while the page is visible.
 *
 * @param milliseconds between an answer and the next query.
 * @param key the query is repeated at once when it changes.
 */
export function usePolled<T>(query: () => Promise<T>, milliseconds: number, key = ''): Polled<T> {
  const [polled, setPolled] = useState<Polled<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    const poll = async () => {
      if (document.visibilityState === 'visible') {
        try {
          const value = await query();
          if (!isOver) {
            setPolled({ value, error: undefined });
          }
        } catch (error) {
          if (!isOver) {
            setPolled(({ value }) => ({ value, error: error instanceof Error ? error.message : String(error) }));
          }
        }
      }
      if (!isOver) {
        timer = window.setTimeout(poll, milliseconds);
      }
    };
    void poll();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [key, milliseconds]);
  return polled;
}
