// Package watch has the names and signatures of k8s.io/client-go/tools/watch: it
// waits for events of a watch.
//
// The input is a source of watches, of package cache, of a clientset or a fake,
// and conditions. The output is the event that fulfilled the last condition, or
// a watch that reconnects.
//
//	event, err := watch.UntilWithSync(ctx, source, &corev1.Pod{}, nil, func(e apiwatch.Event) (bool, error) {
//		pod, ok := e.Object.(*corev1.Pod)
//		return ok && pod.Status.Phase == corev1.PodRunning, nil
//	})
//
//	UntilWithSync        an informer: it recovers from every failure
//	Until, RetryWatcher  one watch after the other: every event, until a version
//	                     has expired
//	UntilWithoutRetry    one watch, until the server ends it
//
// # Guarantees
//
//   - Every function returns when its context is done, and stops its watch.
//   - The channel of a watch is closed when the watch has ended, so a loop over
//     it ends. RetryWatcher.Done is closed afterwards.
//   - A RetryWatcher delivers each event once, and resumes after the last event
//     or bookmark. It ends if a request can never succeed: without permission,
//     or with an expired version. The last event is then an ERROR.
//   - The reader of an informer's watch may be slow: no event is merged or
//     dropped, so pending events need memory until they are read.
//   - Objects do not appear in errors or logs.
//
// A program without client-go's types can use rest.View.Watch or an informer
// with a handler instead.
package watch
