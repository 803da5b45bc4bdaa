import { parseArgs } from 'node:util';
import { Reflector } from '@kube-proxier/source-kubernetes';
import { type Deployment, describeDeployment, hasMissingReplicas, keepCounts } from './deployment.js';

const { values } = parseArgs({
  options: { kubeconfig: { type: 'string' }, master: { type: 'string' }, namespace: { type: 'string' } },
});

const deployments = new Reflector<Deployment>({
  ...values,
  userAgent: 'deployment-watch',
  resource: { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  keep: keepCounts,
  onChange(previous, current) {
    // The objects of the first list are reported together, below.
    if (!deployments.isSynced) {
      return;
    }
    const deployment = current ?? previous;
    if (deployment) {
      console.log(current ? describeDeployment(current) : `${describeDeployment(deployment)}, deleted`);
    }
  },
});

process.on('SIGTERM', () => void deployments.stop());
await deployments.start();
await deployments.synced;
const incomplete = [...deployments.values()].filter(hasMissingReplicas);
console.log(`${deployments.size} Deployments, ${incomplete.length} of them with missing replicas`);
for (const deployment of incomplete) {
  console.log(describeDeployment(deployment));
}
