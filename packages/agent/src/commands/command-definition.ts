import type { FlagName } from '../flags/flag.js';

/** One sub-command of `kube-proxier`: its syntax and help. */
export interface CommandDefinition {
  readonly name: string;
  /** Arguments after the name, as the usage line shows them. */
  readonly syntax: string;
  /** One sentence without a full stop, for the list of commands. */
  readonly summary: string;
  /** What it does, in full sentences. */
  readonly description: string;
  /** Command lines, each with the question that it answers. */
  readonly examples: readonly { readonly purpose: string; readonly command: string }[];
  /** Flags that it uses, in the order of its help. */
  readonly flags: readonly FlagName[];
  /** The meaning of its exit status. */
  readonly exitStatus: string;
  /** Exit status for an error of the command line or the configuration. Default 1. */
  readonly usageErrorStatus?: number;
}

/** Flags that select the agent to query, or manifests instead. */
const STATE_FLAGS = ['metrics-bind-address', 'manifests', 'hostname-override', 'output'] as const;
const CLUSTER_FLAGS = ['detect-local-mode', 'cluster-cidr', 'nodeport-addresses', 'config'] as const;

export const COMMANDS = [
  {
    name: 'status',
    syntax: '',
    summary: 'Print the status of the agent on this node',
    description:
      'Prints a verdict, what is wrong and what to do about it, and then the mode, what is in force, the last syncs, and ' +
      'what was repaired. Queries the running agent at --metrics-bind-address.',
    examples: [
      { purpose: 'Is this node well?', command: 'status' },
      { purpose: 'Again whenever it changes', command: 'status --watch' },
      { purpose: 'For a script', command: 'status -o json' },
    ],
    flags: ['metrics-bind-address', 'output', 'watch', 'config'],
    exitStatus: '0 ok, 1 degraded, 2 not serving, 3 no agent answers, 4 an error of the command line',
    usageErrorStatus: 4,
  },
  {
    name: 'explain',
    syntax: '[<source>] <destination>',
    summary: 'Explain how a packet is handled',
    description:
      'Explains which Service a packet belongs to, which endpoints can get it, and why. The source is an IP address, ' +
      'pod/<name>, pod/<namespace>/<name>, node, or outside; only pods that are endpoints of a Service are known by ' +
      'name. The destination is <address>:<port>[/<protocol>] or svc/[<namespace>/]<name>[:<port>][/<protocol>]. Without ' +
      'a source, the result for every kind of client is printed, and with -o wide the reasons. Queries the running agent ' +
      'at --metrics-bind-address, or simulates the packet from --manifests, which needs no privileges and no agent. ' +
      'With --at, answers from what was in force at that time, by the recording of the agent or the file of --recording, ' +
      'and says which sync had programmed it.',
    examples: [
      { purpose: 'What do clients of a Service get, wherever they are?', command: 'explain svc/shop/checkout' },
      {
        purpose: 'A pod connects to a Service of its namespace',
        command: 'explain pod/web-1 svc/checkout:http -n shop',
      },
      { purpose: 'A client outside, through a NodePort', command: 'explain outside svc/checkout --via node-port' },
      { purpose: 'A pod connects to a cluster IP', command: 'explain 10.244.0.5 10.96.0.10:80/tcp' },
      {
        purpose: 'The same for objects in a directory, on any machine',
        command: 'explain 10.244.0.5 10.96.0.10:80 --manifests ./cluster',
      },
      { purpose: 'What happened to it earlier', command: 'explain 10.244.0.5 10.96.0.10:80 --at 14:03:05' },
    ],
    flags: ['namespace', 'via', 'at', 'recording', ...STATE_FLAGS, ...CLUSTER_FLAGS],
    exitStatus: '0 when the packet was explained, 1 on an error or when a name is unknown',
  },
  {
    name: 'get',
    syntax: '<services|endpoints|frontends> [<name>...]',
    summary: 'Print Services as they are in force on this node',
    description:
      'Prints what is in force on this node as a table: services with the number of endpoints that are used, of those ' +
      'that are known; endpoints with the reason why each is used or not; frontends, the addresses of Services, with ' +
      'what happens to packets there. Names are those of Services: name or namespace/name, or svc/name in place of both ' +
      'arguments. Queries the running agent ' +
      'at --metrics-bind-address, or resolves --manifests.',
    examples: [
      { purpose: 'All Services', command: 'get services -A' },
      { purpose: 'Why is an endpoint not used?', command: 'get endpoints shop/checkout' },
      { purpose: 'Two Services, as kubectl has it', command: 'get svc/checkout svc/cart -n shop' },
      { purpose: 'Every address of a namespace, for a script', command: 'get frontends -n shop -o json' },
    ],
    flags: ['namespace', 'all-namespaces', ...STATE_FLAGS, ...CLUSTER_FLAGS],
    exitStatus: '0, or 1 on an error, when a named Service does not exist, or while nothing is in force yet',
  },
  {
    name: 'verify',
    syntax: '',
    summary: 'Verify that the kernel does with packets what the state says',
    description:
      'Enumerates the classes of packets that the state distinguishes (addresses of Services by kinds of senders), finds ' +
      'out what the rules in the kernel do with each, whoever installed them, and prints each difference with the rule, ' +
      'element or sysctl that decides. Sends no packets, unless --packets is set, and changes nothing. Has the running agent at ' +
      '--metrics-bind-address verify what is in force, or compares the kernel of this network namespace with --manifests, ' +
      'for the mode of --proxy-mode. What cannot be read or interpreted is reported as unknown. With --between, compares what ' +
      'two modes would do with each class, from what the agent has recorded last or from --manifests.',
    examples: [
      { purpose: 'Does this node do what its Services say?', command: 'verify' },
      { purpose: 'For a script', command: 'verify -o json' },
      { purpose: 'Without an agent', command: 'verify --manifests ./cluster --proxy-mode nftables' },
      { purpose: 'Would another mode do the same?', command: 'verify --between iptables,nftables' },
      { purpose: 'With real connections', command: 'verify --packets' },
    ],
    flags: ['proxy-mode', 'between', 'packets', ...STATE_FLAGS, ...CLUSTER_FLAGS],
    exitStatus:
      '0 verified, 1 differences found, 2 not everything could be verified, 3 no agent or nothing programmed, ' +
      '4 an error of the command line',
    usageErrorStatus: 4,
  },
  {
    name: 'what-changed',
    syntax: '[<service>]',
    summary: 'List what happened on this node',
    description:
      'Lists changes from a recording, one line each: Services that were added, removed or changed, endpoints that came, ' +
      'went or changed, what each sync programmed and when, failed syncs, repaired drift and readiness. The service is ' +
      'name, namespace/name, or svc/name: then only its changes are listed, the syncs that programmed it, and what ' +
      'concerns the whole node. Reads the recording of the running agent at --metrics-bind-address, or the file of ' +
      '--recording.',
    examples: [
      { purpose: 'What happened in the last ten minutes?', command: 'what-changed --since 10m' },
      {
        purpose: 'Who changed this Service at two?',
        command: 'what-changed --since 14:00 --until 14:10 svc/checkout -n shop',
      },
      {
        purpose: 'From the file of a bug report, for a script',
        command: 'what-changed --recording node1.jsonl.gz -o json',
      },
    ],
    flags: ['since', 'until', 'recording', 'namespace', 'metrics-bind-address', 'output', 'config'],
    exitStatus: '0, or 1 on an error',
  },
  {
    name: 'replay',
    syntax: '<file> [<source>] [<destination>]',
    summary: 'Replay a recording, and print what was in force',
    description:
      'Replays a recording with the code of the agent up to --until, or to its end, and prints the Services that were in ' +
      'force then. With a packet, as of explain, prints what happened to it. With --test, prints a jest test that contains ' +
      'the recording, replays it, and asserts the outcome of the packet: the one of --expect, or that of the replay. ' +
      'Needs no agent and no privileges.',
    examples: [
      { purpose: 'What was in force at 14:03:05?', command: 'replay node1.jsonl.gz --until 14:03:05' },
      {
        purpose: 'What happened to a packet then?',
        command: 'replay node1.jsonl.gz 10.244.0.5 10.96.0.10:80 --until 14:03:05',
      },
      {
        purpose: 'A failing test for a bug report',
        command: 'replay node1.jsonl.gz 10.244.0.5 10.96.0.10:80 --test --expect 10.244.0.7:8080',
      },
    ],
    flags: ['until', 'test', 'expect', 'namespace', 'output'],
    exitStatus: '0, or 1 on an error',
  },
  {
    name: 'record',
    syntax: 'dump|show [<file>]',
    summary: 'Save or summarize the recording of the agent',
    description:
      'record dump writes the recording of the running agent at --metrics-bind-address to standard output: what it ' +
      'received and did in the last hour (--recording-age of the agent). record show prints what a file contains. A ' +
      'recording has names and addresses of Services, endpoints and this node, and no other fields of objects.',
    examples: [
      { purpose: 'Save it for a bug report', command: 'record dump >node1.jsonl.gz' },
      { purpose: 'What is in this file?', command: 'record show node1.jsonl.gz' },
    ],
    flags: ['metrics-bind-address', 'output', 'config'],
    exitStatus: '0, or 1 on an error',
  },
  {
    name: 'plan',
    syntax: '',
    summary: 'Show what would be written, without writing it',
    description:
      'Compares what is in force on this node with what would be: with -f, other objects; with --delete, without an object; with other flags or --config, ' +
      'other options; with --manifests or --kubeconfig, objects of another source. By meaning: which addresses, endpoints ' +
      'and policies of Services differ; with --rules, also every rule of the kernel. Without -f and --delete, the rules ' +
      'of the kernel are read and compared, which needs root. What is not set is as the running agent has it. With --cleanup, shows ' +
      'what cleanup would remove. Writes nothing, ever.',
    examples: [
      { purpose: 'Do the rules of this node match its objects?', command: 'plan' },
      { purpose: 'What would a change of objects do here?', command: 'plan -f change.yaml' },
      { purpose: 'What would the deletion of a Service do here?', command: 'plan --delete svc/checkout -n shop' },
      {
        purpose: 'What would another mode write, and what would be removed?',
        command: 'plan --proxy-mode nftables --rules',
      },
      { purpose: 'What would cleanup remove?', command: 'plan --cleanup --kube-proxy' },
    ],
    flags: [
      'filename',
      'delete',
      'rules',
      'cleanup',
      'kube-proxy',
      'namespace',
      'proxy-mode',
      ...STATE_FLAGS,
      ...CLUSTER_FLAGS,
      'kubeconfig',
      'backend',
      'backend-option',
    ],
    exitStatus: '0 no differences, 1 differences, 2 an error',
    usageErrorStatus: 2,
  },
  {
    name: 'doctor',
    syntax: '',
    summary: 'Check whether this host can run kube-proxier',
    description:
      'Checks whether this host can run all modes, or the mode of --proxy-mode, with the other flags as the agent would ' +
      'be started, and reports problems with their remedy. Changes nothing.',
    examples: [
      { purpose: 'Can this host run mode nftables?', command: 'doctor --proxy-mode nftables' },
      { purpose: 'Only what is wrong, or could not be checked', command: 'doctor --only-problems' },
      { purpose: 'With the configuration of the agent, for a script', command: 'doctor --config config.yaml -o json' },
    ],
    flags: ['proxy-mode', 'only-problems', 'config', 'backend', 'backend-option', 'output'],
    exitStatus: '0 without problems, 1 if there is a problem, 2 if there is none but not everything could be checked',
  },
  {
    name: 'cleanup',
    syntax: '',
    summary: 'Remove what kube-proxier has installed on this host',
    description:
      'Removes what kube-proxier has installed, in all modes or in the mode of --proxy-mode, prints what was removed, and ' +
      'exits. Rules of kube-proxy are kept unless --kube-proxy is set. Refused while a proxy runs on this node, unless ' +
      '--force is set.',
    examples: [
      { purpose: 'What would be removed?', command: 'cleanup --dry-run' },
      { purpose: 'Only what mode ipvs has installed', command: 'cleanup --proxy-mode ipvs' },
    ],
    flags: ['proxy-mode', 'kube-proxy', 'dry-run', 'force', 'backend', 'backend-option', 'v', 'logging-format'],
    exitStatus: '0 when everything was removed, 1 otherwise',
  },
  {
    name: 'completion',
    syntax: 'bash|zsh|fish',
    summary: 'Print a completion script for a shell',
    description: 'Prints a script that completes commands and flags of kube-proxier in this shell.',
    examples: [
      { purpose: 'In every bash', command: 'completion bash >/etc/bash_completion.d/kube-proxier' },
      { purpose: 'For zsh, into a directory of its fpath', command: 'completion zsh >_kube-proxier' },
    ],
    flags: [],
    exitStatus: '0, or 1 for an unknown shell',
  },
  {
    name: 'help',
    syntax: '[<command>]',
    summary: 'Explain a command',
    description: 'Explains kube-proxier and all flags of the agent, or one command, as --help does.',
    examples: [{ purpose: 'How is a packet explained?', command: 'help explain' }],
    flags: [],
    exitStatus: '0, or 1 for an unknown command or more than one',
  },
  {
    name: 'version',
    syntax: '',
    summary: 'Print the version',
    description: 'Prints the version of kube-proxier.',
    examples: [],
    flags: [],
    exitStatus: '0',
  },
] as const satisfies readonly CommandDefinition[];

export type CommandName = (typeof COMMANDS)[number]['name'];

/** The definition of a command; undefined for an unknown name. */
export function findCommand(name: string | undefined): CommandDefinition | undefined {
  return COMMANDS.find((command) => command.name === name);
}
