import type { Flag } from './flag-definition.js';

/** Flags of commands and of logging. */
export const COMMAND_FLAGS = [
  {
    name: 'recording',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'that of the running agent',
    help: 'The recording to read: a file that kube-proxier record dump has written, or one of --recording-directory.',
    group: 'Commands',
  },
  {
    name: 'at',
    type: 'text',
    value: 'time',
    default: '',
    defaultText: 'now',
    help:
      'Answer from what was in force at this time: 14:03, 14:03:05, 2026-03-01T14:03:05Z, or 5m for five minutes ago. ' +
      'Times without a zone are local. Needs a recording.',
    group: 'Commands',
  },
  {
    name: 'since',
    type: 'text',
    value: 'time',
    default: '',
    defaultText: 'the beginning of the recording',
    help: 'Print changes from this time on; the forms are those of --at.',
    group: 'Commands',
  },
  {
    name: 'until',
    type: 'text',
    value: 'time',
    default: '',
    defaultText: 'the end of the recording',
    help: 'Print changes up to this time, or replay up to it; the forms are those of --at.',
    group: 'Commands',
  },
  {
    name: 'test',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print a jest test that replays the recording and asserts the outcome of the packet.',
    group: 'Commands',
  },
  {
    name: 'expect',
    type: 'text',
    value: 'outcome',
    default: '',
    defaultText: 'the outcome of the replay',
    help:
      'With --test, the outcome that the test expects: refused, dropped, passed-on, or the endpoints, comma-separated, ' +
      'such as 10.244.0.5:8080.',
    group: 'Commands',
  },
  {
    name: 'output',
    short: 'o',
    type: 'text',
    value: 'format',
    default: 'text',
    defaultText: 'text',
    help:
      'Output format of commands: text, json or yaml; wide for more columns (get) or the reasons (explain); name for ' +
      'the names only (get services).',
    group: 'Commands',
  },
  {
    name: 'between',
    type: 'text',
    value: 'modes',
    default: '',
    defaultText: 'the kernel is verified',
    help:
      'With verify: compare what two modes would do with every class of packets, such as iptables,nftables. Nothing is read ' +
      'from the kernel, and nothing is written.',
    group: 'Commands',
  },
  {
    name: 'packets',
    type: 'bool',
    defaultText: 'the rules are verified',
    help:
      'With verify: make real TCP connections from this node to addresses of Services, at most 500 for each IP family, and compare ' +
      'where they go. They carry no data, but endpoints see them.',
    group: 'Commands',
  },
  {
    name: 'namespace',
    short: 'n',
    type: 'text',
    value: 'namespace',
    default: 'default',
    defaultText: 'default',
    help: 'The namespace of names without one.',
    group: 'Commands',
  },
  {
    name: 'via',
    type: 'text',
    value: 'kind',
    defaultText: 'what the clients use',
    help:
      'The addresses of the Service to send to: cluster-ip, external-ip, load-balancer or node-port. Clients outside use ' +
      'external addresses where there are some, other clients the cluster IP.',
    group: 'Commands',
  },
  {
    name: 'filename',
    short: 'f',
    type: 'text',
    value: 'file',
    defaultText: 'none',
    help: 'A file of Kubernetes objects that replace those of the same kind and name; - is standard input. May be repeated.',
    group: 'Commands',
  },
  {
    name: 'delete',
    type: 'text',
    value: 'object',
    defaultText: 'none',
    help:
      'An object that is deleted: svc/[<namespace>/]<name>, with its EndpointSlices, or endpointslice/[<namespace>/]<name>. ' +
      'May be repeated.',
    group: 'Commands',
  },
  {
    name: 'rules',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'List every rule that would be added or removed, in the terms of the mode.',
    group: 'Commands',
  },
  {
    name: 'all-namespaces',
    short: 'A',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print objects of all namespaces.',
    group: 'Commands',
  },
  {
    name: 'only-problems',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print only checks that are not ok.',
    group: 'Commands',
  },
  {
    name: 'watch',
    short: 'w',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print the status again whenever it changes, until the command is interrupted.',
    group: 'Commands',
  },
  {
    name: 'v',
    short: 'v',
    type: 'int',
    value: 'level',
    default: '0',
    defaultText: '0',
    help: 'Log verbosity, from 0: 2 for occasional details, 4 for debugging.',
    group: 'Logging',
  },
  {
    name: 'logging-format',
    type: 'text',
    value: 'format',
    default: 'text',
    defaultText: 'text',
    help: 'Log format: text, or json with one object per line. Both are written to standard error.',
    group: 'Logging',
  },
] as const satisfies readonly Flag[];
