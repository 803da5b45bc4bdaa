/**
 * A userspace dataplane as a process of its own, so that its sockets stand in the network namespace it is started in.
 * Brings into force what it is sent, and says how that went.
 *
 *   node dataplane-process.mjs IPv4 nft
 */
import { diffStates } from '@kube-proxier/core';
import { resolveObjects } from '@kube-proxier/core/testing';
import { createCommandRunner, createIptables, ProcLocalNetwork } from '@kube-proxier/linux';
import { IptablesRedirector, UserspaceDataplane } from '../dist/index.js';

const [family, variant] = process.argv.slice(2);
const iptables = createIptables({ family, variant, runner: createCommandRunner() });
const network = new ProcLocalNetwork();
const dataplane = new UserspaceDataplane({
  family,
  localAddresses: () => network.localAddresses(),
  redirection: async () => ({
    reach: 'redirected',
    redirector: new IptablesRedirector(family, async () => iptables),
  }),
});

let installed;

async function install({ objects, options }) {
  const state = resolveObjects(objects, options);
  const transaction = installed
    ? dataplane.plan(state, diffStates(installed, state))
    : dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  installed = undefined;
  if (transaction) {
    await dataplane.apply(transaction);
  }
  installed = state;
  const again = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  return again === undefined ? {} : { error: `not in force: ${JSON.stringify(again)}` };
}

process.on('message', async ({ op, ...rest }) => {
  try {
    if (op === 'install') {
      process.send(await install(rest));
    } else {
      await dataplane.cleanup();
      process.send({});
    }
  } catch (error) {
    process.send({ error: `${error.stack}` });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
