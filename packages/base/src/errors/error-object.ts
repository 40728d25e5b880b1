export interface ErrorObject {
  code: number;
  message: string;
  data?: unknown;
}
