import { type BackendModule, type ProbeResult, ProxierError, Tokens } from '@kube-proxier/core';
import { ContainerModule } from 'inversify';

/**
 * The mode `ipvs`, which has no backend yet: so that asking for it says why it cannot be had on this host, and falls
 * back like any mode that a host cannot run, instead of being unknown.
 *
 * @param probeKernel whether the kernel has what the mode needs.
 */
export function createIpvsMode(probeKernel: () => Promise<ProbeResult>): BackendModule {
  return {
    mode: 'ipvs',
    description: 'Uses the load balancer in the kernel (ip_vs)',
    async probe() {
      const kernel = await probeKernel();
      return kernel.usable ? { usable: false, reason: 'this version of kube-proxier has no ipvs backend yet' } : kernel;
    },
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue(() => {
        throw new ProxierError('NO_IPVS_BACKEND', 'there is no ipvs backend yet; use --proxy-mode=iptables');
      });
      // It never programs anything, so there is nothing to remove.
      bind(Tokens.Cleanup).toConstantValue(async () => {});
    }),
  };
}
