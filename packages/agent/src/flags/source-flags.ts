import type { Flag } from './flag-definition.js';

/** Flags of where objects come from, and of this node. */
export const SOURCE_FLAGS = [
  {
    name: 'config',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'none',
    help:
      "A KubeProxyConfiguration file, as kube-proxy and kubeadm use it. It replaces kube-proxy's flags except " +
      '--master, --hostname-override, -v and --logging-format. A second document in the file, a ' +
      'KubeProxierConfiguration, sets options that kube-proxy does not have; flags override it. When the configuration ' +
      'changes, kube-proxier exits with status 1, so that its supervisor restarts it.',
    group: 'Objects',
  },
  {
    name: 'write-config-to',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'none',
    help: 'Write the effective configuration of all flags and files to this file, in the format of --config, and exit.',
    group: 'Objects',
  },
  {
    name: 'kubeconfig',
    type: 'text',
    value: 'path',
    default: '',
    defaultText:
      'none: the in-cluster API server with the service account of the pod, unless --master or --manifests is set',
    help: 'The kubeconfig file with the address and credentials of the API server. It is read again when it changes.',
    group: 'Objects',
  },
  {
    name: 'master',
    type: 'text',
    value: 'url',
    default: '',
    defaultText: 'the server of the kubeconfig',
    help: 'The URL of the API server; overrides the kubeconfig. Without --kubeconfig, requests have no credentials.',
    group: 'Objects',
  },
  {
    name: 'kube-api-content-type',
    type: 'text',
    value: 'type',
    default: 'application/vnd.kubernetes.protobuf',
    defaultText: 'application/vnd.kubernetes.protobuf',
    help:
      'What objects are requested in: application/vnd.kubernetes.protobuf, with JSON where the API server does not ' +
      'have it, or application/json.',
    group: 'Objects',
  },
  {
    name: 'manifests',
    type: 'list',
    value: 'path',
    defaultText: 'none',
    help:
      'A directory of YAML or JSON files, or one such file, with Service, EndpointSlice, Endpoints, Node and ' +
      'ServiceCIDR objects. It is watched: changes take effect automatically. Can be repeated. An object of the same ' +
      'name on the API server takes precedence.',
    group: 'Objects',
  },
  {
    name: 'health-checks',
    type: 'text',
    value: 'where',
    default: 'manifests',
    defaultText: 'manifests',
    help:
      'Whose endpoints this process checks: those of Services with the annotation kube-proxier.io/health-check in ' +
      '"manifests", or in "all" sources, the API server included; or "none". With "all", every node checks, and everybody ' +
      'who may edit Services and EndpointSlices decides what it connects to.',
    group: 'Objects',
  },
  {
    name: 'health-check-scripts',
    type: 'text',
    value: 'directory',
    default: '',
    defaultText: 'none: scripts are not run',
    help:
      'The directory of the scripts that the annotation kube-proxier.io/health-check: script:NAME can name, as an absolute ' +
      'path. They run with the privileges of this process. The directory must belong to root or to the user of this ' +
      'process, and nobody else may write to it.',
    group: 'Objects',
  },
  {
    name: 'hostname-override',
    type: 'text',
    value: 'name',
    default: '',
    defaultText: "the host's name in lower case",
    help: 'The name of this node, as in endpoints and in its Node object.',
    group: 'Node',
  },
  {
    name: 'bind-address',
    type: 'text',
    value: 'address',
    default: '0.0.0.0',
    defaultText: '0.0.0.0: the address of the Node object',
    help: "The node's primary IP address, which determines the primary IP family. No socket is bound to it.",
    group: 'Node',
  },
  {
    name: 'detect-local-mode',
    type: 'text',
    value: 'mode',
    default: '',
    defaultText: 'ClusterCIDR',
    help:
      'How to detect traffic of local pods: ClusterCIDR (source address in --cluster-cidr), NodeCIDR (source address ' +
      'in the pod CIDRs of the Node object), BridgeInterface (received on --pod-bridge-interface), or ' +
      'InterfaceNamePrefix (received on an interface whose name begins with --pod-interface-name-prefix).',
    group: 'Node',
  },
  {
    name: 'cluster-cidr',
    type: 'list',
    value: 'networks',
    defaultText: 'none: traffic of pods cannot be detected',
    help: 'The CIDR of pods in the cluster, or a comma-separated pair, one of each IP family.',
    group: 'Node',
  },
  {
    name: 'pod-bridge-interface',
    type: 'text',
    value: 'name',
    default: '',
    defaultText: 'none',
    help: 'The bridge to which pods are connected, for --detect-local-mode=BridgeInterface.',
    group: 'Node',
  },
  {
    name: 'pod-interface-name-prefix',
    type: 'text',
    value: 'prefix',
    default: '',
    defaultText: 'none',
    help: 'The name prefix of interfaces of pods, for --detect-local-mode=InterfaceNamePrefix.',
    group: 'Node',
  },
] as const satisfies readonly Flag[];
