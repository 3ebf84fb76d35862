export { BufferBook } from './buffer-book.ts'
export {
  type CapacityBufferDeps,
  capacityBufferProvisioning,
  capacityBufferResolution,
} from './controllers.ts'
