export { BufferBook } from './buffer-book.ts'
export { capacityBufferProvisioning, capacityBufferResolution } from './controllers.ts'
