import { countOf } from '@kube-proxier/core';
import type { IpvsStep, IpvsTransaction } from './ipvs-transaction.js';

/** A short summary for the log: `2 virtual servers, 5 real servers`. */
export function describeTransaction({ steps }: IpvsTransaction): string {
  const sum = (count: (step: IpvsStep) => number) => steps.reduce((total, step) => total + count(step), 0);
  const commands = (to: IpvsStep['to'], matches: (what: string) => boolean) =>
    sum((step) =>
      step.to === to && 'commands' in step ? step.commands.filter((command) => matches(command.do)).length : 0,
    );
  const words = [
    [
      commands('ipvs', (what) => what.endsWith('virtual')) +
        sum((step) => (step.to === 'retirement' ? step.servers.length : 0)),
      'virtual server',
    ],
    [
      commands('ipvs', (what) => what.endsWith('real')) +
        sum((step) =>
          step.to === 'draining' ? step.servers.length : step.to === 'retirement' ? step.reals.length : 0,
        ),
      'real server',
    ],
    [commands('sets', () => true), 'set or entry', 'sets and entries'],
    [sum((step) => (step.to === 'addresses' ? step.add.length + step.remove.length : 0)), 'address', 'addresses'],
    [sum((step) => (step.to === 'interface' ? 1 : 0)), 'interface'],
    [sum((step) => (step.to === 'rules' ? step.document.size : 0)), 'table of rules', 'tables of rules'],
  ] as const;
  return words
    .filter(([count]) => count > 0)
    .map(([count, noun, plural]) => countOf(count, noun, plural))
    .join(', ');
}
