// Builds the control plane, Karpenter and Argo CD's comparison of the peer tests ahead of time, and what their image is based on, so that CI
// can do it beside other work. Prints the paths.
import { buildArgoDiff } from '../support/argo-diff.ts'
import { buildControlPlane } from '../support/control-plane-binary.ts'
import { whyNoImageBuilder } from '../support/image.ts'
import { buildKarpenter } from '../support/karpenter-process.ts'

console.log(await buildControlPlane())
console.log(await buildKarpenter())
// After the control plane, most of whose packages it is made of, too.
console.log(await buildArgoDiff())
const why = await whyNoImageBuilder()
console.log(why === undefined ? 'an image can be built' : `no image: ${why}`)
