// Package klogger returns slog loggers that write to klog.
//
// The typed packages log with slog; programs that were written for client-go have
// configured klog. [FromOption] converts the logger of an option and [FromContext]
// that of a context. A [RunLogger] is klog's global logger until the informer is
// run, and then the logger of the context of Run. Errors stay errors in klog, even
// if its logger does not support slog.
package klogger
