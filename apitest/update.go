package apitest

import (
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// update answers a PUT.
func (c *call) update() error {
	options, err := c.updateOptions()
	if err != nil {
		return err
	}
	obj, err := c.readObject(options)
	if err != nil {
		return err
	}
	if err := c.placeInNamespace(obj); err != nil {
		return err
	}
	if err := c.checkName(obj); err != nil {
		return err
	}
	m := mutation{
		writeOptions: options, uid: obj.GetUID(),
		orCreate: c.resource.strategy.createByUpdate && c.subresource == "",
	}
	rec, created, err := c.mutate(m, func(*unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return obj.DeepCopy(), nil
	})
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return c.answer(code, rec.raw)
}

// checkName compares the name in the body with the one in the path.
func (c *call) checkName(obj *unstructured.Unstructured) error {
	switch name := obj.GetName(); name {
	case c.name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", c.name))
	default:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, c.name))
	}
}
