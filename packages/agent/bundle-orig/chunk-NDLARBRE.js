import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{readFileSync}from"node:fs";var VERSION=readVersion();function versionText(){return`kube-proxier ${VERSION}
`}function readVersion(){let text=readFileSync(new URL("../package.json",import.meta.url),"utf8"),manifest=JSON.parse(text);
return typeof manifest.version=="string"?manifest.version:"unknown"}export{VERSION,versionText};
//# sourceMappingURL=chunk-NDLARBRE.js.map
