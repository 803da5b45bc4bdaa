/**
 * The real command, with a backend whose kernel is a map: for tests of the process without privileges. Prints what is
 * installed after every sync. `FAKE_FAULT` injects a fault.
 */
import { ReconcilingProxier, Tokens } from '@kube-proxier/core';
import { FakeDataplane } from '@kube-proxier/core/testing';
import { ContainerModule } from 'inversify';
import { createSources } from '../dist/create-sources.js';
import { runProcess } from '../dist/run-process.js';

const fault = process.env.FAKE_FAULT;

/** @typedef {import('@kube-proxier/core').BackendModule} BackendModule */

/** @type {BackendModule} */
const iptables = {
  mode: 'iptables',
  description: 'A map in place of the kernel',
  probe: async () => ({ usable: true, detail: 'a map' }),
  module: new ContainerModule(({ bind }) => {
    bind(Tokens.ProxierFactory).toConstantValue((context) => {
      const dataplane = new FakeDataplane();
      const observer = {
        synced: () => console.log(`${context.family} ${[...dataplane.contents.keys()].sort().join(' ')}`),
      };
      const proxier = new ReconcilingProxier({ mode: 'iptables', context: { ...context, observer }, dataplane });
      const { syncLoop } = proxier;
      proxier.syncLoop = async (signal) => {
        if (fault === 'throw') {
          setImmediate(() => {
            throw new Error('injected\nfault');
          });
        }
        if (fault === 'reject') {
          void Promise.reject(new Error('injected fault'));
        }
        if (fault === 'give-up') {
          throw new Error('injected fault');
        }
        await syncLoop.call(proxier, signal);
        if (fault === 'hang') {
          await new Promise(() => {});
        }
      };
      return proxier;
    });
    bind(Tokens.Cleanup).toConstantValue(async () => {
      if (fault === 'cleanup') {
        throw new Error('injected fault');
      }
      console.log('cleaned up');
    });
  }),
};

/** @type {BackendModule} */
const ipvs = {
  mode: 'ipvs',
  description: 'Not supported by this host',
  probe: async () => ({ usable: false, reason: 'the kernel has no ip_vs' }),
  module: new ContainerModule(({ bind }) => {
    bind(Tokens.Cleanup).toConstantValue(async () => {});
  }),
};

await runProcess(async () => ({
  backends: [iptables, ipvs],
  sources: createSources,
}));
