'use client';
export { type PushesOptions, type Pushes, usePushes } from './use-pushes.js';
export { type Upload, type UploadState, useUpload } from './use-upload.js';
export { type Inbox, useInbox } from './use-inbox.js';
