/**
 * Jest's global set-up: what tests start as processes of their own comes from the build. A second when nothing changed, and
 * none where `KUBE_PROXIER_BUILT=1` says that it was built just before.
 */
import { build } from './build.mjs';

export default async function buildBeforeTests() {
  if (process.env.KUBE_PROXIER_BUILT !== '1') {
    await build();
  }
}
