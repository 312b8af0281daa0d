package objects

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
)

// customObjects have no Go type: a definition and objects of the defined kind.
func customObjects() []runtime.Object {
	return []runtime.Object{custom(definition), custom(widget)}
}

func custom(text string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &object.Object); err != nil {
		panic(fmt.Sprintf("the corpus: %v in %s", err, text))
	}
	m := meta(object.GetNamespace(), object.GetName())
	object.SetUID(m.UID)
	object.SetResourceVersion(m.ResourceVersion)
	object.SetCreationTimestamp(m.CreationTimestamp)
	return object
}

const definition = `{
	"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
	"metadata": {"name": "widgets.shop.example.com", "annotations": {"controller-gen.kubebuilder.io/version": "v0.19.0"}},
	"spec": {
		"group": "shop.example.com", "scope": "Namespaced", "conversion": {"strategy": "None"},
		"names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget", "shortNames": ["wd"]},
		"versions": [{
			"name": "v1", "served": true, "storage": true, "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
			"additionalPrinterColumns": [{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}],
			"schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "properties": {
				"ratio": {"type": "number", "minimum": 0.5, "maximum": 1e3, "multipleOf": 0.25, "default": 1},
				"replicas": {"type": "integer", "format": "int64", "maximum": 9223372036854775807, "minimum": -9223372036854775808},
				"mode": {"type": "string", "enum": ["fast", "slow", null], "nullable": true, "default": null, "pattern": "^[a-z]+$"},
				"any": {"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-int-or-string": false},
				"port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}
			}}}}}
		}]
	},
	"status": {"acceptedNames": {"kind": "Widget", "plural": "widgets"}, "storedVersions": ["v1"], "conditions": [{"type": "Established", "status": "True", "lastTransitionTime": "2026-03-01T08:31:00Z", "reason": "InitialNamesAccepted", "message": "the initial names have been accepted"}]}
}`

const widget = `{
	"apiVersion": "shop.example.com/v1", "kind": "Widget", "metadata": {"name": "w1", "namespace": "shop", "labels": {}, "finalizers": []},
	"spec": {
		"replicas": 3, "ratio": 0.1, "whole": 2.0, "big": 9223372036854775807, "small": -9223372036854775808, "bigger": 9223372036854775808, "exponent": 1e21, "tiny": 5e-324, "negative": -0.0, "zero": -0,
		"nothing": null, "no": false, "list": [1, 1.5, "1", true, null, [], {}, [[[]]]], "empty": {}, "": "an empty key",
		"port": "http", "ports": [80, "443"], "text": "\u00e9 \ud83d\uded2 \u2028 \u0000 \\ \" / \b\f\n\r\t", "clé": "ключ", "deep": {"a": {"b": {"c": {"d": {"e": [{"f": "g"}]}}}}},
		"json": "{\"inner\":[1,2,3]}", "time": "2026-03-01T08:30:00.123456789+02:00", "base64": "AAECAwQ="
	},
	"status": null
}`

// handwritten are valid documents that a server written in Go does not send.
var handwritten = map[string]string{
	// Keys in no order, white space, nulls wherever they are allowed, keys and text
	// with escapes, unknown fields, names that differ only in case.
	"pod-handwritten": ` {
	"status" : { "phase" : "Run\u006eing" , "conditions" : null , "startTime" : "2026-03-01T10:30:00.987654321+02:00" , "containerStatuses" : [ { "name" : "app" , "ready" : true , "restartCount" : -0 , "image" : "\ud83d\uded2\/app" , "imageID" : "" , "state" : { "running" : { "startedAt" : null } } , "lastState" : {} , "unknownToAll" : [ { "a" : [ 1e5 , "]}" ] } ] } ] } ,
	"unknown" : { "nested" : [ [ ] , { } , "\"}" , -1.5E-3 ] } ,
	"Spec" : { "nodeName" : "by another case" } ,
	"spec" : {
		"NodeName" : "by another case" , "nod\u0065Name" : "node-001" , "containers" : [ { "name" : "app" , "image" : null , "args" : [ "" , null , "\u2028\u00e9" ] , "env" : [ ] , "ports" : [ { "containerPort" : 65535 , "hostPort" : null } ] ,
			"resources" : { "limits" : { "cpu" : 2 , "memory" : "1e9" , "example.com/half" : 0.5 , "example.com/none" : null } , "requests" : null } , "livenessProbe" : { "httpGet" : { "port" : 8080 } , "periodSeconds" : 10 } , "readinessProbe" : null , "securityContext" : { } } ] ,
		"priority" : 2000000000 , "activeDeadlineSeconds" : 9223372036854775807 , "terminationGracePeriodSeconds" : 0 , "hostNetwork" : false , "tolerations" : [ ] , "overhead" : { } , "volumes" : [ null , { "name" : "v" , "emptyDir" : { "sizeLimit" : null } } ] } ,
	"kind" : "Pod" ,
	"metadata" : { "resourceVersion" : "7" , "labels" : { "" : "" , "\u03ba" : "\ud83d" , "n" : null } , "annotations" : null , "ownerReferences" : [ { "uid" : "u" , "controller" : null , "name" : "n" , "kind" : "k" , "apiVersion" : "v" } ] , "creationTimestamp" : null , "deletionGracePeriodSeconds" : null , "finalizers" : [ "a" , null ] , "generation" : 9007199254740993 , "name" : "hand\nwritten" , "namespace" : "shop" , "uid" : "" , "managedFields" : [ { "manager" : "m" , "operation" : "Apply" , "time" : "2026-03-01T08:30:00Z" , "fieldsType" : "FieldsV1" , "fieldsV1" : { "f:metadata" : { } , "f:\u0073pec" : null } } , { "fieldsV1" : null } ] , "selfLink" : "/api/v1" } ,
	"apiVersion" : "v1"
}
`,
	"configmap-handwritten": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a":"1","\u0061b":"2","lone":"\udc00x\ud800","pair":"\uD83D\uDED2","slash":"\/"},"binaryData":{"n":null,"e":"","one":"MQ=="},"immutable":null}`,
	"event-handwritten":     `{"metadata":{"name":"e","namespace":"n"},"involvedObject":{},"eventTime":null,"firstTimestamp":"2026-03-01T08:30:00+05:45","lastTimestamp":null,"series":null,"count":0,"apiVersion":"v1","kind":"Event"}`,
}
