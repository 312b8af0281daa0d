package apitest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

func applied(t testing.TB, s *Server, manager string, force bool, data map[string]string) (int, map[string]any) {
	t.Helper()
	body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"it"},"data":` + string(encoded(t, data)) + `}`
	code, response, _ := send(t, s, fmt.Sprintf("PATCH %s/it?fieldManager=%s&force=%t", configMapsPath, manager, force), applyType, body)
	return code, response
}

func dataOf(object map[string]any) map[string]string {
	data := map[string]string{}
	fields, _ := object["data"].(map[string]any)
	for name, value := range fields {
		data[name] = value.(string)
	}
	return data
}

// Server-side apply creates an object, assigns fields to managers, reports
// conflicts with their managers, takes over fields with force, and removes
// fields that are no longer applied.
func TestApply(t *testing.T) {
	s := patchServer(t)
	code, response := applied(t, s, "one", false, map[string]string{"x": "1", "y": "1"})
	require.Equal(t, 201, code)
	version := objects.At(response, "metadata.resourceVersion")
	code, response = applied(t, s, "one", false, map[string]string{"x": "1", "y": "1"})
	require.Equal(t, 200, code)
	require.Equal(t, version, objects.At(response, "metadata.resourceVersion"), "applying the same again changes nothing")

	code, response = applied(t, s, "two", false, map[string]string{"x": "2", "z": "2"})
	require.Equal(t, 409, code)
	require.Equal(t, `Apply failed with 1 conflict: conflict with "one": .data.x`, response["message"])
	require.Equal(t, []any{map[string]any{"reason": "FieldManagerConflict", "message": `conflict with "one"`, "field": ".data.x"}}, objects.At(response, "details.causes"))

	code, response = applied(t, s, "two", true, map[string]string{"x": "2", "z": "2"})
	require.Equal(t, 200, code)
	require.Equal(t, map[string]string{"x": "2", "y": "1", "z": "2"}, dataOf(response))
	_, response = applied(t, s, "one", false, nil)
	require.Equal(t, map[string]string{"x": "2", "z": "2"}, dataOf(response))

	// A dry run creates nothing.
	code, _, _ = send(t, s, "PATCH "+configMapsPath+"/dry?fieldManager=m&dryRun=All", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"dry"}}`)
	require.Equal(t, 201, code)
	code, _, _ = send(t, s, "GET "+configMapsPath+"/dry", "", "")
	require.Equal(t, 404, code)
	// An applied object with a version must exist.
	code, _, _ = send(t, s, "PATCH "+configMapsPath+"/versioned?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"versioned","resourceVersion":"1"}}`)
	require.Equal(t, 201, code)
}

// An apply of the status owns nothing else, and creates no object.
func TestApplyOfStatus(t *testing.T) {
	s := patchServer(t)
	body := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"status":{"conditions":[{"type":"Mine","status":"True"}]}}`
	response := must(t, s, "PATCH "+podPath+"/status?fieldManager=m", applyType, body)
	require.Len(t, objects.At(response, "status.conditions"), 1)
	fields := string(encoded(t, objects.At(response, "metadata.managedFields")))
	require.Contains(t, fields, `{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{"k:{\"type\":\"Mine\"}":{".":{},"f:status":{},"f:type":{}}}}},"manager":"m","operation":"Apply","subresource":"status"`)
	code, _, _ := send(t, s, "PATCH "+strings.Replace(podPath, "/a", "/b", 1)+"/status?fieldManager=m", applyType, strings.Replace(body, `"a"`, `"b"`, 1))
	require.Equal(t, 404, code)
}

// The number of replicas belongs to the manager that scales, in the scale and
// in the object.
func TestApplyOfScale(t *testing.T) {
	s := patchServer(t)
	const path = "/apis/apps/v1/namespaces/default/deployments"
	must(t, s, "POST "+path, jsonType, `{"metadata":{"name":"d"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}}}}`)
	scale := `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},"spec":{"replicas":4}}`
	code, response, _ := send(t, s, "PATCH "+path+"/d/scale?fieldManager=hpa", applyType, scale)
	require.Equal(t, 409, code)
	require.Equal(t, `Apply failed with 1 conflict: conflict with "curl" using autoscaling/v1: .spec.replicas`, response["message"])
	response = must(t, s, "PATCH "+path+"/d/scale?fieldManager=hpa&force=true", applyType, scale)
	require.Equal(t, "Scale", response["kind"])
	require.EqualValues(t, 4, objects.At(response, "spec.replicas"))
	code, response, _ = send(t, s, "PATCH "+path+"/d?fieldManager=app", applyType, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":2}}`)
	require.Equal(t, 409, code)
	require.Equal(t, `Apply failed with 1 conflict: conflict with "hpa" with subresource "scale": .spec.replicas`, response["message"])
	must(t, s, "PATCH "+path+"/d/scale", strategicPatchType, `{"spec":{"replicas":7}}`)
	require.EqualValues(t, 7, objects.At(must(t, s, "GET "+path+"/d", "", ""), "spec.replicas"))

	for body, message := range map[string]string{
		strings.Replace(scale, "Scale", "Deployment", 1):              "invalid object type: autoscaling/v1, Kind=Deployment",
		strings.Replace(scale, "4", `"x"`, 1):                         ".spec.replicas: expected numeric (int or float), got string",
		strings.Replace(scale, `"name":"d"`, `"name":"e"`, 1):         "the name of the object (e) does not match the name on the URL (d)",
		strings.Replace(scale, "4", "-4", 1):                          "must be greater than or equal to 0",
		strings.Replace(scale, `"name":"d"`, `"managedFields":[]`, 1): "metadata.managedFields must be nil",
	} {
		_, response, _ := send(t, s, "PATCH "+path+"/d/scale?fieldManager=hpa", applyType, body)
		require.Contains(t, response["message"], message)
	}
}

// applyModel is a reference implementation of server-side apply for objects
// with flat fields.
type applyModel struct {
	data   map[string]string
	owners map[string]map[string]bool // managers by field
	// applied holds the fields that each manager applied last.
	applied map[string]map[string]string
	exists  bool
}

func (m *applyModel) apply(manager string, force bool, fields map[string]string) bool {
	for name, value := range fields {
		if current, exists := m.data[name]; exists && current != value && !force {
			for owner := range m.owners[name] {
				if owner != manager {
					return false
				}
			}
		}
	}
	for name, value := range fields {
		if m.data[name] != value || m.owners[name] == nil {
			m.owners[name] = map[string]bool{}
		}
		m.data[name] = value
		m.owners[name][manager] = true
	}
	for name := range m.applied[manager] {
		if _, still := fields[name]; still || !m.owners[name][manager] {
			continue
		}
		if delete(m.owners[name], manager); len(m.owners[name]) == 0 {
			delete(m.data, name)
			delete(m.owners, name)
		}
	}
	m.applied[manager] = fields
	m.exists = true
	return true
}

// update is a merge patch by a manager that does not apply.
func (m *applyModel) update(name, value string) {
	if m.data[name] == value && value != "" {
		return
	}
	delete(m.owners, name)
	if value == "" {
		delete(m.data, name)
		return
	}
	m.data[name], m.owners[name] = value, map[string]bool{"curl": true}
}

// Three managers apply and one updates, at random. The owners always equal
// those of the model.
func TestApplyAgainstModel(t *testing.T) {
	s := patchServer(t)
	for seed := range uint64(40) {
		dice := rand.New(rand.NewPCG(seed, 3))
		send(t, s, "DELETE "+configMapsPath+"/it", "", "")
		model := &applyModel{data: map[string]string{}, owners: map[string]map[string]bool{}, applied: map[string]map[string]string{}}
		var steps []string
		for range 25 {
			manager := []string{"one", "two", "three"}[dice.IntN(3)]
			if model.exists && dice.IntN(5) == 0 {
				name, value := string(rune('a'+dice.IntN(4))), []string{"1", "2", ""}[dice.IntN(3)]
				steps = append(steps, fmt.Sprintf("edit %s=%q", name, value))
				body := fmt.Sprintf(`{"data":{%q:%q}}`, name, value)
				if value == "" {
					body = fmt.Sprintf(`{"data":{%q:null}}`, name)
				}
				must(t, s, "PATCH "+configMapsPath+"/it", mergePatchType, body)
				model.update(name, value)
			} else {
				fields, force := map[string]string{"all": "0"}, dice.IntN(3) == 0
				for range dice.IntN(4) {
					fields[string(rune('a'+dice.IntN(4)))] = []string{"1", "2"}[dice.IntN(2)]
				}
				steps = append(steps, fmt.Sprintf("%s applies %v, force %t", manager, fields, force))
				code, response := applied(t, s, manager, force, fields)
				ok := model.apply(manager, force, maps.Clone(fields))
				require.Equal(t, ok, code < 300, "seed %d: %s: %v", seed, strings.Join(steps, "; "), response["message"])
			}
			if !model.exists {
				continue
			}
			now := must(t, s, "GET "+configMapsPath+"/it", "", "")
			require.Equal(t, model.data, dataOf(now), "seed %d: %s", seed, strings.Join(steps, "; "))
			require.Equal(t, model.owners, ownersOf(now), "seed %d: %s", seed, strings.Join(steps, "; "))
		}
	}
}

// ownersOf returns the owners of the fields of data according to managedFields.
func ownersOf(object map[string]any) map[string]map[string]bool {
	owners := map[string]map[string]bool{}
	entries, _ := objects.At(object, "metadata.managedFields").([]any)
	for _, entry := range entries {
		fields, _ := objects.At(entry.(map[string]any), "fieldsV1.f:data").(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if name, ok := strings.CutPrefix(name, "f:"); ok {
				if owners[name] == nil {
					owners[name] = map[string]bool{}
				}
				owners[name][entry.(map[string]any)["manager"].(string)] = true
			}
		}
	}
	return owners
}

// The version in an apply must be a number, and that of the existing object.
func TestApplyCreatesWithAnyNumericVersion(t *testing.T) {
	s := NewServer(Options{InMemory: true})
	defer s.Close()
	for version, want := range map[string]int{"7": 201, "abc": 500} {
		code, _, _ := send(t, s, "PATCH "+configMapsPath+"/v"+version+"?fieldManager=m", applyType,
			fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"v%s","resourceVersion":%q}}`, version, version))
		require.Equal(t, want, code, version)
	}
}
