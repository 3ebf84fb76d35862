// Builds the Kubernetes control plane of the peer tests ahead of time, so that CI can do it beside other work. Prints the path.
import { buildControlPlane } from '../support/control-plane-binary.ts'

console.log(await buildControlPlane())
