import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { formatPage, PAGE, problemsOf, readKnowledge, readSurface } from './parity/parity.mjs';

type Knowledge = Awaited<ReturnType<typeof readKnowledge>>;

describe('docs/parity.md', () => {
  const surface = readSurface();
  let knowledge: Knowledge;

  beforeAll(async () => {
    knowledge = await readKnowledge();
  });

  test('is what node scripts/parity/parity.mjs writes', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(formatPage(surface, knowledge));
  });

  test('agrees with the code', () => {
    expect(problemsOf(surface, knowledge)).toEqual([]);
  });

  test('has a row with a verdict for everything of the list, and nothing is unknown', () => {
    const page = readFileSync(PAGE, 'utf8');
    const rows = new Map(
      [...page.matchAll(/^\| `-{0,2}([^`]+)` .*\| (\S.*?) *\|$/gm)].map(([, name = '', verdict = '']) => [
        name,
        verdict,
      ]),
    );
    for (const part of ['flags', 'fields', 'gates', 'metrics'] as const) {
      for (const name of Object.keys(surface[part])) {
        expect(`${name}: ${rows.get(name)}`).toMatch(/: (same|accepted without effect: .+|not here: .+)/);
      }
    }
    expect(page).not.toMatch(/unknown [|]|undefined/);
  });

  test.each<['flags' | 'fields' | 'gates' | 'metrics', string]>([
    ['flags', 'no-such-flag'],
    ['fields', 'iptables.noSuchField'],
    ['gates', 'NoSuchGate'],
    ['metrics', 'kubeproxy_no_such_metric'],
  ])('the check fails for something in %s that the code does not know', (part, name) => {
    const extended = { ...surface, [part]: { ...surface[part], [name]: {} } };
    expect(problemsOf(extended, knowledge)).toEqual([expect.stringContaining(`the code does not know ${name}`)]);
    const explained = { ...surface, [part]: { ...surface[part], [name]: { absent: 'for a reason' } } };
    expect(problemsOf(explained, knowledge)).toEqual([]);
  });

  test.each<['fields' | 'gates' | 'metrics', string]>([
    ['fields', 'nodePortAddresses'],
    ['gates', 'KubeProxyIPVS'],
    ['metrics', 'kubeproxy_nftables_localhost_nodeport_listeners'],
  ])('the check fails when the list of %s lacks what the code shares with kube-proxy', (part, name) => {
    const { [name]: _, ...others } = surface[part];
    expect(problemsOf({ ...surface, [part]: others }, knowledge)).toEqual([expect.stringContaining(name)]);
  });

  test('the check fails when the list denies what the code knows, and when a refusal has another error', () => {
    const denied = { ...surface, flags: { ...surface.flags, config: { absent: 'not needed' } } };
    expect(problemsOf(denied, knowledge)).toEqual([expect.stringContaining('the list says that config is not here')]);
    const [first, ...rest] = surface.refused;
    const refused = [{ ...first, argument: '--proxy-mode=iptables', problem: 'x', why: '' }, ...rest];
    expect(problemsOf({ ...surface, refused }, knowledge)).toEqual([expect.stringContaining('has the problems []')]);
  });
});
