import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { CommandError, type CommandRunner, createCommandRunner } from '@kube-proxier/linux';
import { HaproxyProcess, parseServers } from '../src/haproxy-process.js';
import { createHaproxyBackend } from '../src/index.js';
import { placeOf } from '../src/place.js';
import { renderConfig } from '../src/render-config.js';

/** In a new network namespace, HAProxy needs `lo` only: it listens on an unassigned address. */
test('a real HAProxy accepts a configuration, changes of endpoints, and a reload', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'haproxy-test-'));
  const place = { ...placeOf('IPv4', directory, 0), address: '127.0.0.1', ports: { cluster: 0, local: 0 } };
  const haproxy = new HaproxyProcess(place.directory, createCommandRunner());
  const endpoint = (address: string) => ({ address, port: 80 });
  try {
    const state = resolveObjects({
      services: [makeService('work/web')],
      slices: [makeSlice('work/web', ['10.0.0.1'])],
    });
    // HAProxy needs a port number; any free one.
    const config = renderConfig(
      { ...place, ports: { cluster: 20_000 + (process.pid % 9000), local: 30_000 + (process.pid % 9000) } },
      state,
    );
    assert.equal(await haproxy.running(), undefined);
    await haproxy.reload(config);
    const first = await haproxy.running();
    assert.equal(first?.structure, config.structure);

    const [backend, added] = ['cluster:work:web:', '10.0.0.2_80'];
    const whole = [...state.servicePorts.values()].find(({ name }) => name.name === 'web')?.cluster[0];
    assert.ok(whole);
    const add = { action: 'add', backend, server: added, endpoint: { ...whole, ...endpoint('10.0.0.2') } } as const;
    await haproxy.change(add);
    await haproxy.change(add);
    assert.deepEqual([...((await haproxy.servers()).get(backend) ?? [])].sort(), ['10.0.0.1_80', added]);
    await haproxy.change({ action: 'remove', backend, server: '10.0.0.1_80' });
    assert.deepEqual([...((await haproxy.servers()).get(backend) ?? [])], [added]);

    await haproxy.reload(config);
    assert.notEqual((await haproxy.running())?.pid, first?.pid);
    await assert.rejects(haproxy.reload({ ...config, config: 'nonsense' }), CommandError);
    assert.ok(await haproxy.running(), 'the old one continues when a configuration is rejected');
  } finally {
    await haproxy.remove();
    assert.equal(await haproxy.running(), undefined);
    await rm(directory, { recursive: true, force: true });
  }
});

test('the probe reports in one sentence what is missing', async () => {
  const runner: CommandRunner = {
    run: async ({ command }) => {
      throw new CommandError('not-found', command, undefined, undefined, '', `${command} was not found; install it`);
    },
  };
  assert.deepEqual(await createHaproxyBackend({ runner }).probe(), {
    usable: false,
    reason: 'haproxy was not found; install it',
  });
});

test('servers in maintenance do not count as available', () => {
  const listing = `1
# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state
4 cluster:work:web: 1 10.0.0.1_80 10.0.0.1 2 0
4 cluster:work:web: 2 10.0.0.2_80 10.0.0.2 0 1
`;
  assert.deepEqual(parseServers(listing), new Map([['cluster:work:web:', new Set(['10.0.0.1_80'])]]));
});
