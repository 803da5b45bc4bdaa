#!/usr/bin/env node
// Not built, so that the command is linked by an install that comes before the first build.
import { existsSync } from 'node:fs';

// Third-party backends share modules with this program, so with them the packages run, not the bundle.
const hasThirdPartyBackends = process.argv.some((arg) => /^--backend(=|$)/.test(arg));
const bundle = new URL('../bundle/kube-proxier.js', import.meta.url);
await import(!hasThirdPartyBackends && existsSync(bundle) ? bundle.href : '../dist/main.js');
