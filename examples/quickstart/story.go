package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/examples/internal/diary"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// tell has an object created, changed and deleted, as a user would with kubectl,
// and waits each time until all that follows from it has happened.
func tell(ctx context.Context, tale *diary.Diary, greetings *rest.Resource[*Greeting], cache *informer.SharedInformer[*Greeting]) (err error) {
	ready, cancel := context.WithTimeout(ctx, diary.Patience)
	defer cancel()
	if err := cache.WaitForSync(ready); err != nil { // says why not
		return err
	}

	fmt.Fprintln(tale, "you        create hello, for World")
	hello := &Greeting{ObjectMeta: metav1.ObjectMeta{Name: "hello"}}
	hello.Spec.Name = "World"
	if hello, err = greetings.Create(ctx, hello, metav1.CreateOptions{}); err != nil {
		return err
	}
	defer func() {
		if err != nil { // nothing is left on a real server
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diary.Patience)
			defer cancel()
			_ = greetings.Delete(ctx, "hello", metav1.DeleteOptions{})
		}
	}()
	key := hello.Namespace + "/" + hello.Name
	if err := tale.Wait(ctx, "handler    "+key+" is there, for World", "handler    "+key+`: message "" -> "Hello, World!"`); err != nil {
		return err
	}

	fmt.Fprintln(tale, "you        change hello, for Gopher")
	changed := informer.Clone(hello)
	changed.Spec.Name = "Gopher"
	if _, err := greetings.MergePatch(ctx, hello, changed); err != nil {
		return err
	}
	if err := tale.Wait(ctx, "handler    "+key+": name World -> Gopher", "handler    "+key+`: message "Hello, World!" -> "Hello, Gopher!"`); err != nil {
		return err
	}

	fmt.Fprintln(tale, "you        delete hello")
	if err := greetings.Delete(ctx, "hello", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return tale.Wait(ctx, "handler    "+key+" is gone", "reconcile  "+key+": it is gone, nothing to do")
}
