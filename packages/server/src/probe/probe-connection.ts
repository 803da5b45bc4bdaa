import { connect } from 'node:net';
import { messageOf } from '@kube-proxier/core';

/** The target of a probe, and the expected answer. */
export interface ProbeTarget {
  readonly address: string;
  readonly port: number;
  /** The expected answer. */
  readonly answer: string;
  /** Timeout in milliseconds for the complete answer. */
  readonly timeout: number;
}

/** A finished probe. */
export type ProbeOutcome =
  | { readonly kind: 'ok'; readonly milliseconds: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Maximum delay in milliseconds of a timer in an idle process. */
const LATE = 50;

/**
 * Connects, and compares the answer. Never rejects.
 *
 * @param signal aborts it, as a failure.
 */
export function probeConnection(
  { address, port, answer, timeout }: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const begin = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    socket.unref();
    let received = '';
    let isConnected = false;
    const finish = (outcome: ProbeOutcome) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(outcome);
    };
    const fail = (reason: string) => finish({ kind: 'failed', reason });
    const stop = () => fail('the agent is stopping');
    let timer: NodeJS.Timeout;
    const arm = () => {
      const armed = performance.now();
      timer = setTimeout(() => {
        // This process, and so its listener, was busy: restarts the timeout.
        if (performance.now() - armed > timeout + LATE) {
          arm();
        } else {
          fail(timedOut(isConnected, timeout));
        }
      }, timeout).unref();
    };
    arm();
    signal.addEventListener('abort', stop);
    socket.setEncoding('latin1');
    socket.on('connect', () => {
      isConnected = true;
    });
    socket.on('data', (data) => {
      received += data;
      if (received.length > answer.length) {
        fail(WRONG_ANSWER);
      }
    });
    socket.on('end', () => {
      if (received === answer) {
        finish({ kind: 'ok', milliseconds: performance.now() - begin });
      } else {
        fail(received === '' ? NO_ANSWER : WRONG_ANSWER);
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(reasonOf(error, isConnected)));
  });
}

const WRONG_ANSWER = 'another program answered: its rules redirect the connection before those of kube-proxier';
const NO_ANSWER =
  'the connection was closed without an answer: another program accepted it, or its source is no address of this host';

function timedOut(isConnected: boolean, timeout: number): string {
  return isConnected
    ? `connected, but no answer came within ${timeout} ms: packets of the connection are lost`
    : `no answer came within ${timeout} ms: packets are dropped, or lead elsewhere`;
}

function reasonOf(error: NodeJS.ErrnoException, isConnected: boolean): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'the connection was refused: the address is in no rule of kube-proxier, or another rule rejects it';
    case 'ENETUNREACH':
      return 'this host has no route to the address, as Services need it: add a default route, or one to the network of cluster IPs';
    case 'EHOSTUNREACH':
      return 'the address is unreachable: a rule rejects it, or its rules are missing and no router has it';
    case 'EPERM':
    case 'EACCES':
      return 'a rule of this host forbids the connection';
    case 'ECONNRESET':
      return isConnected
        ? 'the connection was reset: another program accepted it, or its packets lose their translation'
        : 'the connection was reset: a rule rejects it';
    default:
      return messageOf(error);
  }
}
