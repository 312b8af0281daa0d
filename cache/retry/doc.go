// Package retry has the names and signatures of k8s.io/client-go/util/retry: it
// repeats a function that failed with an error that may not happen again, such
// as a conflict of two writes.
//
// The input is a function, a back-off and, for OnError, a function that
// recognizes such errors. The output is the error of the last call.
//
//	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
//		pod, err := pods.Get(ctx, "a", metav1.GetOptions{})
//		if err != nil {
//			return err
//		}
//		pod.Labels["is"] = "red"
//		_, err = pods.Update(ctx, pod, metav1.UpdateOptions{})
//		return err // as it is, or wrapped
//	})
//
// The function is called Backoff.Steps times at most. A wait cannot be ended:
// rest.RetryOnConflict has a context.
package retry
