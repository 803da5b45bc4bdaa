import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{EventRecorder,KubernetesError,KubernetesSource,MetricsAccessReviewer,PodClient,Reflector,checkApiAccess,isForbidden}from"./chunk-KHXMYMKB.js";
import"./chunk-MTSOMN72.js";import"./chunk-UWS5UL64.js";import"./chunk-4LHTYADA.js";import"./chunk-VCSBMK2H.js";export{EventRecorder,KubernetesError,KubernetesSource,MetricsAccessReviewer,PodClient,Reflector,checkApiAccess,isForbidden};
//# sourceMappingURL=chunk-5YUFNN5K.js.map
