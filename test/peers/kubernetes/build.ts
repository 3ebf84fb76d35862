// Builds the control plane and Karpenter of the peer tests ahead of time, so that CI can do it beside other work. Prints the paths.
import { buildControlPlane } from '../support/control-plane-binary.ts'
import { buildKarpenter } from '../support/karpenter-process.ts'

console.log(await buildControlPlane())
console.log(await buildKarpenter())
