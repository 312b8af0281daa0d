package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/examples/internal/demo"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// user makes the changes of a user with kubectl.
type user struct {
	out        *demo.Output
	configs    *rest.Resource[*ConfigDeployment]
	configMaps *rest.Resource[*ConfigMap]
}

// runDemo creates a ConfigDeployment and changes what it refers to, and waits each time
// until the controller has reacted.
func runDemo(ctx context.Context, out *demo.Output, client *rest.Client, namespace string) (err error) {
	u := user{out, rest.NewResource[*ConfigDeployment](client, configDeploymentInfo).Namespace(namespace), rest.NewResource[*ConfigMap](client, configMapInfo).Namespace(namespace)}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), demo.Timeout)
		defer cancel()
		if err != nil { // delete the objects on a real server
			_ = u.configs.Delete(ctx, "web", metav1.DeleteOptions{})
		}
		for _, name := range []string{"settings", "others"} {
			_ = u.configMaps.Delete(ctx, name, metav1.DeleteOptions{})
		}
	}()
	key := namespace + "/web"

	fmt.Fprintln(out, "you        create web, with the ConfigMap settings")
	web := &ConfigDeployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	web.Spec.ConfigMap = "settings"
	if web, err = u.configs.Create(ctx, web, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := out.Wait(ctx, "reconcile  "+key+": there is no ConfigMap settings"); err != nil {
		return err
	}

	settings, err := u.create(ctx, key, "settings")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "you        change settings")
	changed := informer.Clone(settings)
	changed.Data["level"] = "debug"
	if settings, err = u.configMaps.MergePatch(ctx, settings, changed, metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := u.replaced(ctx, key, settings); err != nil {
		return err
	}

	fmt.Fprintln(out, "you        change web, to the ConfigMap others")
	next := informer.Clone(web)
	next.Spec.ConfigMap = "others"
	if _, err := u.configs.MergePatch(ctx, web, next, metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := out.Wait(ctx, "reconcile  "+key+": there is no ConfigMap others"); err != nil {
		return err
	}
	if _, err := u.create(ctx, key, "others"); err != nil {
		return err
	}

	fmt.Fprintln(out, "you        delete settings, which web no longer uses, and then web")
	if err := u.configMaps.Delete(ctx, "settings", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := u.configs.Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return out.Wait(ctx, "reconcile  "+key+": deleted")
}

// create creates a ConfigMap, for which the pods are replaced.
func (u user) create(ctx context.Context, key, name string) (*ConfigMap, error) {
	fmt.Fprintln(u.out, "you        create", name)
	created, err := u.configMaps.Create(ctx, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"level": "info"}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return created, u.replaced(ctx, key, created)
}

// replaced waits until the controller has replaced the pods for a ConfigMap.
func (u user) replaced(ctx context.Context, key string, by *ConfigMap) error {
	return u.out.Wait(ctx, fmt.Sprintf("reconcile  %s: replace the pods, for version %s of %s", key, by.ResourceVersion, by.Name))
}
