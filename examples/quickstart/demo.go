package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/examples/internal/demo"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// runDemo creates, changes and deletes an object, as a user would with kubectl, and waits
// each time until all expected reactions have happened.
func runDemo(ctx context.Context, out *demo.Output, greetings *rest.Resource[*Greeting], cache *informer.SharedInformer[*Greeting]) (err error) {
	ready, cancel := context.WithTimeout(ctx, demo.Timeout)
	defer cancel()
	if err := cache.WaitForSync(ready); err != nil { // the error has the reason
		return err
	}

	fmt.Fprintln(out, "you        create hello, for World")
	hello := &Greeting{ObjectMeta: metav1.ObjectMeta{Name: "hello"}}
	hello.Spec.Name = "World"
	if hello, err = greetings.Create(ctx, hello, metav1.CreateOptions{}); err != nil {
		return err
	}
	defer func() {
		if err != nil { // delete the object on a real server
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), demo.Timeout)
			defer cancel()
			_ = greetings.Delete(ctx, "hello", metav1.DeleteOptions{})
		}
	}()
	key := hello.Namespace + "/" + hello.Name
	if err := out.Wait(ctx, "handler    "+key+" added, for World", "handler    "+key+`: message "" -> "Hello, World!"`); err != nil {
		return err
	}

	fmt.Fprintln(out, "you        change hello, for Gopher")
	changed := informer.Clone(hello)
	changed.Spec.Name = "Gopher"
	if _, err := greetings.MergePatch(ctx, hello, changed, metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := out.Wait(ctx, "handler    "+key+": name World -> Gopher", "handler    "+key+`: message "Hello, World!" -> "Hello, Gopher!"`); err != nil {
		return err
	}

	fmt.Fprintln(out, "you        delete hello")
	if err := greetings.Delete(ctx, "hello", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return out.Wait(ctx, "handler    "+key+" deleted", "reconcile  "+key+": deleted, nothing to do")
}
