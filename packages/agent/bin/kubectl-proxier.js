#!/usr/bin/env node
// Not built, so that the command is linked by an install that comes before the first build.
import { existsSync } from 'node:fs';

const bundle = new URL('../bundle/kubectl-proxier.js', import.meta.url);
await import(existsSync(bundle) ? bundle.href : '../dist/kubectl/main.js');
