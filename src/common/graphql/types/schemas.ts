/** Markers of the served schemas. A type that is registered in one of them exists in that schema only. */
export class FileManagementSchema {}
export class DocumentRenderingSchema {}
export class WebsocketsManagerSchema {}
export class DocumentLogSchema {}
export class EmailSchema {}
export class AdminSchema {}
