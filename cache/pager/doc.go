// Package pager has the names and signatures of k8s.io/client-go/tools/pager: it
// reads a large list page by page.
//
// The input is a function that lists with the options that it is given. The
// output is one list of all items, or a call of a function for each item while
// the next pages are requested.
//
//	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
//		return clientset.CoreV1().Pods("").List(ctx, options)
//	})
//	err := pages.EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
//		fmt.Println(obj.(*corev1.Pod).Name)
//		return nil
//	})
//
// # Guarantees
//
//   - At most PageBufferSize pages are kept in addition to the one that is
//     requested and the one whose items are processed.
//   - An error of the function for an item is returned at once. One call of the
//     page function may then be running: its context is done, and no other one
//     follows. No goroutine is left when it has returned.
//   - Only the first request has the resource version of the options: servers
//     reject a version together with a continue token.
//   - A list that ends with an error is not mistaken for a complete one.
//
// A Reflector and the informers of package cache list in pages without this
// package.
package pager
