/** Jest's global set-up: what tests start as processes of their own comes from the build. A second when nothing changed. */
export { build as default } from './build.mjs';
