#!/usr/bin/env node
// Not built, so that the command is linked by an install that comes before the first build.
import '../dist/command/main.js';
