/** `node fetch-all.mjs URL…`: the answers to GET requests, as JSON: the status, the body, and the weight of a health check. */
import { get } from 'node:http';

/** @param {string} url */
const answer = (url) =>
  new Promise((resolve) => {
    const request = get(url, { timeout: 3000, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('end', () => {
        const weight = response.headers['x-load-balancing-endpoint-weight'];
        const type = response.headers['content-type'];
        resolve({ status: response.statusCode, type, ...(weight === undefined ? {} : { weight }), body });
      });
    });
    request.on('timeout', () => request.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    request.on('error', (error) => resolve({ error: 'code' in error ? error.code : error.message }));
  });

process.stdout.write(JSON.stringify(await Promise.all(process.argv.slice(2).map(answer))));
