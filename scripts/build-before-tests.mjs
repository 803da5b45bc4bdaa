/**
 * Jest's global set-up: processes started by tests run from the build. Takes a second without changes; skipped with
 * `KUBE_PROXIER_BUILT=1`.
 */
import { build } from './build.mjs';

export default async function buildBeforeTests() {
  if (process.env.KUBE_PROXIER_BUILT !== '1') {
    await build();
  }
}
