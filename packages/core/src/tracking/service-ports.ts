import type { IPFamily } from '../model/address.js';
import type { ServicePort } from '../model/service-port.js';
import { servicePortKey } from '../model/service-port-name.js';
import type { ServiceDefinition } from '../objects/definitions.js';

const NO_PORTS: readonly ServicePort[] = [];

/** The service ports of a Service for one IP family; none without a cluster IP of it (spec K-11, K-25). */
export function servicePortsOf(service: ServiceDefinition | undefined, family: IPFamily): readonly ServicePort[] {
  const facts = service?.families[family];
  if (!service || !facts) {
    return NO_PORTS;
  }
  return service.ports.map(({ portName, protocol, port, lastPort, nodePort }) => {
    const name = { namespace: service.namespace, name: service.name, portName, protocol };
    return {
      key: servicePortKey(name),
      name,
      clusterIP: facts.clusterIP,
      port,
      lastPort,
      nodePort,
      externalIPs: facts.externalIPs,
      loadBalancerVIPs: facts.loadBalancerVIPs,
      loadBalancerSourceRanges: facts.loadBalancerSourceRanges,
      externalTrafficPolicy: service.externalTrafficPolicy,
      internalTrafficPolicy: service.internalTrafficPolicy,
      affinitySeconds: service.affinitySeconds,
      healthCheckNodePort: service.healthCheckNodePort,
      createdAt: service.createdAt,
      slowStartSeconds: service.slowStartSeconds,
      whenEndpointGoes: service.whenEndpointGoes,
      annotations: service.annotations,
    };
  });
}
