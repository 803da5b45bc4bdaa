import type { Diagnosis } from '@kube-proxier/core';
import { descriptorLimit } from './proxy/descriptor-budget.js';
import { SpliceCarrier } from './splice/splice-carrier.js';

/** With fewer connections, a busy Service rejects clients. */
const MIN_CONNECTIONS = 4096;

/** See `BackendModule.diagnose`. */
export async function diagnose(): Promise<readonly Diagnosis[]> {
  return [await diagnoseOpenFiles(), await diagnoseSplice()];
}

async function diagnoseSplice(): Promise<Diagnosis> {
  const check = 'connections that move much';
  const carrier = new SpliceCarrier();
  await carrier.start();
  const { unusable } = carrier;
  await carrier.close();
  return unusable === undefined
    ? { check, status: 'ok', found: 'carried by the kernel (splice)' }
    : {
        check,
        status: 'warning',
        found: `carried by the event loop, at half the throughput: ${unusable}`,
        advice: 'install the package koffi for this platform, and allow the system calls splice, pipe2 and epoll_wait',
      };
}

/** Each connection takes a descriptor to the client and one to the endpoint. */
async function diagnoseOpenFiles(): Promise<Diagnosis> {
  const room = Math.floor((await descriptorLimit()) / 2);
  const found = `room for ${room} connections at once`;
  return room < MIN_CONNECTIONS
    ? {
        check: 'open files',
        status: 'warning',
        found,
        advice: 'raise the limit of open files (ulimit -n, LimitNOFILE)',
      }
    : { check: 'open files', status: 'ok', found };
}
