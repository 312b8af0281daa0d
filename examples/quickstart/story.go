package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// patience is how long the story waits for what is to happen next.
const patience = 20 * time.Second

// tell has an object created, changed and deleted, as a user would with kubectl,
// and waits each time until all that follows from it has happened.
func tell(ctx context.Context, tale *diary, greetings *rest.Resource[*Greeting], cache *informer.SharedInformer[*Greeting]) (err error) {
	ready, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := cache.WaitForSync(ready); err != nil { // says why not
		return err
	}

	tale.say("you", "create hello, for World")
	hello := &Greeting{ObjectMeta: metav1.ObjectMeta{Name: "hello"}}
	hello.Spec.Name = "World"
	if hello, err = greetings.Create(ctx, hello, metav1.CreateOptions{}); err != nil {
		return err
	}
	defer func() {
		if err != nil { // nothing is left on a real server
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			_ = greetings.Delete(ctx, "hello", metav1.DeleteOptions{})
		}
	}()
	key := hello.Namespace + "/" + hello.Name
	if err := tale.wait(ctx, key+" is there, for World", key+`: message "" -> "Hello, World!"`); err != nil {
		return err
	}

	tale.say("you", "change hello, for Gopher")
	changed := informer.Clone(hello)
	changed.Spec.Name = "Gopher"
	if _, err := greetings.MergePatch(ctx, hello, changed); err != nil {
		return err
	}
	if err := tale.wait(ctx, key+": name World -> Gopher", key+`: message "Hello, World!" -> "Hello, Gopher!"`); err != nil {
		return err
	}

	tale.say("you", "delete hello")
	if err := greetings.Delete(ctx, "hello", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return tale.wait(ctx, key+" is gone", key+": it is gone, nothing to do")
}
