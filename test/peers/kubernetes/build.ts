// Builds the control plane and Karpenter of the peer tests ahead of time, and what their image is based on, so that CI can do it beside
// other work. Prints the paths.
import { buildControlPlane } from '../support/control-plane-binary.ts'
import { whyNoImageBuilder } from '../support/image.ts'
import { buildKarpenter } from '../support/karpenter-process.ts'

console.log(await buildControlPlane())
console.log(await buildKarpenter())
const why = await whyNoImageBuilder()
console.log(why === undefined ? 'an image can be built' : `no image: ${why}`)
