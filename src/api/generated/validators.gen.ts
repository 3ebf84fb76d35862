// @ts-nocheck: compiled code without types; validators.ts gives it types.
// Generated from schemas/ by `npm run generate`. Do not edit.
import { schemaPattern } from '../validation/patterns.ts'
export const validateCapacityBuffer = validate10;
const schema11 = {"type":"object","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"const":"autoscaling.x-k8s.io/v1beta1"},"kind":{"const":"CapacityBuffer"},"metadata":{"type":"object"},"spec":{"type":"object","properties":{"provisioningStrategy":{"type":"string"},"podTemplateRef":{"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":1}}},"scalableRef":{"type":"object","required":["kind","name"],"properties":{"apiGroup":{"type":"string"},"kind":{"type":"string","minLength":1},"name":{"type":"string","minLength":1}}},"replicas":{"type":"integer","minimum":0},"percentage":{"type":"integer","minimum":0},"limits":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}}}},"status":{"type":"object","properties":{"podTemplateRef":{"type":"object","properties":{"name":{"type":"string"}}},"podTemplateGeneration":{"type":"integer"},"replicas":{"type":"integer"},"provisioningStrategy":{"type":"string"},"conditions":{"type":"array","items":{"type":"object","required":["lastTransitionTime","message","reason","status","type"],"properties":{"type":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},"status":{"type":"string","enum":["True","False","Unknown"]},"lastTransitionTime":{"type":"string"},"observedGeneration":{"type":"integer","minimum":0},"reason":{"type":"string","minLength":1,"maxLength":1024,"pattern":"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},"message":{"type":"string","maxLength":32768}}}}}}}};
const func2 = schemaPattern;
const pattern0 = func2("^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$", "");
const pattern1 = func2("^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$", "");
const pattern2 = func2("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", "");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.apiVersion !== undefined){
if("autoscaling.x-k8s.io/v1beta1" !== data.apiVersion){
const err4 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "autoscaling.x-k8s.io/v1beta1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.kind !== undefined){
if("CapacityBuffer" !== data.kind){
const err5 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "CapacityBuffer"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
const err6 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.spec !== undefined){
let data3 = data.spec;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.provisioningStrategy !== undefined){
if(typeof data3.provisioningStrategy !== "string"){
const err7 = {instancePath:instancePath+"/spec/provisioningStrategy",schemaPath:"#/properties/spec/properties/provisioningStrategy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data3.podTemplateRef !== undefined){
let data5 = data3.podTemplateRef;
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
if(data5.name === undefined){
const err8 = {instancePath:instancePath+"/spec/podTemplateRef",schemaPath:"#/properties/spec/properties/podTemplateRef/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data5.name !== undefined){
let data6 = data5.name;
if(typeof data6 === "string"){
if(data6.length < 1){
const err9 = {instancePath:instancePath+"/spec/podTemplateRef/name",schemaPath:"#/properties/spec/properties/podTemplateRef/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
else {
const err10 = {instancePath:instancePath+"/spec/podTemplateRef/name",schemaPath:"#/properties/spec/properties/podTemplateRef/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
}
else {
const err11 = {instancePath:instancePath+"/spec/podTemplateRef",schemaPath:"#/properties/spec/properties/podTemplateRef/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data3.scalableRef !== undefined){
let data7 = data3.scalableRef;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(data7.kind === undefined){
const err12 = {instancePath:instancePath+"/spec/scalableRef",schemaPath:"#/properties/spec/properties/scalableRef/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(data7.name === undefined){
const err13 = {instancePath:instancePath+"/spec/scalableRef",schemaPath:"#/properties/spec/properties/scalableRef/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(data7.apiGroup !== undefined){
if(typeof data7.apiGroup !== "string"){
const err14 = {instancePath:instancePath+"/spec/scalableRef/apiGroup",schemaPath:"#/properties/spec/properties/scalableRef/properties/apiGroup/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data7.kind !== undefined){
let data9 = data7.kind;
if(typeof data9 === "string"){
if(data9.length < 1){
const err15 = {instancePath:instancePath+"/spec/scalableRef/kind",schemaPath:"#/properties/spec/properties/scalableRef/properties/kind/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
else {
const err16 = {instancePath:instancePath+"/spec/scalableRef/kind",schemaPath:"#/properties/spec/properties/scalableRef/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data7.name !== undefined){
let data10 = data7.name;
if(typeof data10 === "string"){
if(data10.length < 1){
const err17 = {instancePath:instancePath+"/spec/scalableRef/name",schemaPath:"#/properties/spec/properties/scalableRef/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
else {
const err18 = {instancePath:instancePath+"/spec/scalableRef/name",schemaPath:"#/properties/spec/properties/scalableRef/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
}
else {
const err19 = {instancePath:instancePath+"/spec/scalableRef",schemaPath:"#/properties/spec/properties/scalableRef/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data3.replicas !== undefined){
let data11 = data3.replicas;
if(!((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11)))){
const err20 = {instancePath:instancePath+"/spec/replicas",schemaPath:"#/properties/spec/properties/replicas/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(typeof data11 == "number"){
if(data11 < 0 || isNaN(data11)){
const err21 = {instancePath:instancePath+"/spec/replicas",schemaPath:"#/properties/spec/properties/replicas/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
if(data3.percentage !== undefined){
let data12 = data3.percentage;
if(!((typeof data12 == "number") && (!(data12 % 1) && !isNaN(data12)))){
const err22 = {instancePath:instancePath+"/spec/percentage",schemaPath:"#/properties/spec/properties/percentage/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(typeof data12 == "number"){
if(data12 < 0 || isNaN(data12)){
const err23 = {instancePath:instancePath+"/spec/percentage",schemaPath:"#/properties/spec/properties/percentage/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
if(data3.limits !== undefined){
let data13 = data3.limits;
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
for(const key0 in data13){
let data14 = data13[key0];
const _errs29 = errors;
let valid5 = false;
const _errs30 = errors;
if(!((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14)))){
const err24 = {instancePath:instancePath+"/spec/limits/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/limits/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
var _valid0 = _errs30 === errors;
valid5 = valid5 || _valid0;
if(!valid5){
const _errs32 = errors;
if(typeof data14 !== "string"){
const err25 = {instancePath:instancePath+"/spec/limits/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/limits/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
var _valid0 = _errs32 === errors;
valid5 = valid5 || _valid0;
}
if(!valid5){
const err26 = {instancePath:instancePath+"/spec/limits/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/limits/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
else {
errors = _errs29;
if(vErrors !== null){
if(_errs29){
vErrors.length = _errs29;
}
else {
vErrors = null;
}
}
}
if(typeof data14 === "string"){
if(!pattern0.test(data14)){
const err27 = {instancePath:instancePath+"/spec/limits/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/limits/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
}
}
else {
const err28 = {instancePath:instancePath+"/spec/limits",schemaPath:"#/properties/spec/properties/limits/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
}
else {
const err29 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
if(data.status !== undefined){
let data15 = data.status;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.podTemplateRef !== undefined){
let data16 = data15.podTemplateRef;
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
if(data16.name !== undefined){
if(typeof data16.name !== "string"){
const err30 = {instancePath:instancePath+"/status/podTemplateRef/name",schemaPath:"#/properties/status/properties/podTemplateRef/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
}
else {
const err31 = {instancePath:instancePath+"/status/podTemplateRef",schemaPath:"#/properties/status/properties/podTemplateRef/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
if(data15.podTemplateGeneration !== undefined){
let data18 = data15.podTemplateGeneration;
if(!((typeof data18 == "number") && (!(data18 % 1) && !isNaN(data18)))){
const err32 = {instancePath:instancePath+"/status/podTemplateGeneration",schemaPath:"#/properties/status/properties/podTemplateGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
if(data15.replicas !== undefined){
let data19 = data15.replicas;
if(!((typeof data19 == "number") && (!(data19 % 1) && !isNaN(data19)))){
const err33 = {instancePath:instancePath+"/status/replicas",schemaPath:"#/properties/status/properties/replicas/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data15.provisioningStrategy !== undefined){
if(typeof data15.provisioningStrategy !== "string"){
const err34 = {instancePath:instancePath+"/status/provisioningStrategy",schemaPath:"#/properties/status/properties/provisioningStrategy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data15.conditions !== undefined){
let data21 = data15.conditions;
if(Array.isArray(data21)){
const len0 = data21.length;
for(let i0=0; i0<len0; i0++){
let data22 = data21[i0];
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
if(data22.lastTransitionTime === undefined){
const err35 = {instancePath:instancePath+"/status/conditions/" + i0,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
if(data22.message === undefined){
const err36 = {instancePath:instancePath+"/status/conditions/" + i0,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
if(data22.reason === undefined){
const err37 = {instancePath:instancePath+"/status/conditions/" + i0,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
if(data22.status === undefined){
const err38 = {instancePath:instancePath+"/status/conditions/" + i0,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if(data22.type === undefined){
const err39 = {instancePath:instancePath+"/status/conditions/" + i0,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
if(data22.type !== undefined){
let data23 = data22.type;
if(typeof data23 === "string"){
if(data23.length > 316){
const err40 = {instancePath:instancePath+"/status/conditions/" + i0+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
if(!pattern1.test(data23)){
const err41 = {instancePath:instancePath+"/status/conditions/" + i0+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"+"\""};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
else {
const err42 = {instancePath:instancePath+"/status/conditions/" + i0+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data22.status !== undefined){
let data24 = data22.status;
if(typeof data24 !== "string"){
const err43 = {instancePath:instancePath+"/status/conditions/" + i0+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
if(!(((data24 === "True") || (data24 === "False")) || (data24 === "Unknown"))){
const err44 = {instancePath:instancePath+"/status/conditions/" + i0+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
if(data22.lastTransitionTime !== undefined){
if(typeof data22.lastTransitionTime !== "string"){
const err45 = {instancePath:instancePath+"/status/conditions/" + i0+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
if(data22.observedGeneration !== undefined){
let data26 = data22.observedGeneration;
if(!((typeof data26 == "number") && (!(data26 % 1) && !isNaN(data26)))){
const err46 = {instancePath:instancePath+"/status/conditions/" + i0+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if(typeof data26 == "number"){
if(data26 < 0 || isNaN(data26)){
const err47 = {instancePath:instancePath+"/status/conditions/" + i0+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
}
if(data22.reason !== undefined){
let data27 = data22.reason;
if(typeof data27 === "string"){
if(data27.length > 1024){
const err48 = {instancePath:instancePath+"/status/conditions/" + i0+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
if(data27.length < 1){
const err49 = {instancePath:instancePath+"/status/conditions/" + i0+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
if(!pattern2.test(data27)){
const err50 = {instancePath:instancePath+"/status/conditions/" + i0+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},message:"must match pattern \""+"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"+"\""};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
else {
const err51 = {instancePath:instancePath+"/status/conditions/" + i0+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
if(data22.message !== undefined){
let data28 = data22.message;
if(typeof data28 === "string"){
if(data28.length > 32768){
const err52 = {instancePath:instancePath+"/status/conditions/" + i0+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
else {
const err53 = {instancePath:instancePath+"/status/conditions/" + i0+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
}
else {
const err54 = {instancePath:instancePath+"/status/conditions/" + i0,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
}
else {
const err55 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
}
else {
const err56 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
}
else {
const err57 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}

export const validateInstanceTypeCatalog = validate11;
const schema12 = {"type":"object","additionalProperties":false,"required":["apiVersion","kind","metadata","instanceTypes"],"properties":{"apiVersion":{"const":"joinery.dev/v1alpha1"},"kind":{"const":"InstanceTypeCatalog"},"metadata":{"type":"object"},"instanceTypes":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["capacity","name","offerings"],"properties":{"name":{"type":"string","minLength":1},"requirements":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["key","operator"],"properties":{"key":{"type":"string"},"operator":{"type":"string","enum":["Gte","Lte","In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"array","items":{"type":"string"}}}}},"capacity":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}},"overhead":{"type":"object","additionalProperties":false,"properties":{"kubeReserved":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}},"systemReserved":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}},"evictionThreshold":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}}}},"offerings":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["price","requirements"],"properties":{"requirements":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["key","operator"],"properties":{"key":{"type":"string"},"operator":{"type":"string","enum":["Gte","Lte","In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"array","items":{"type":"string"}}}}},"price":{"type":"number","minimum":0},"available":{"type":"boolean"},"reservationCapacity":{"type":"integer","minimum":0}}}},"deviceTemplates":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["devices","driver"],"properties":{"driver":{"type":"string","minLength":1},"devices":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":1},"attributes":{"type":"object","additionalProperties":{"type":"object","properties":{"bool":{"type":"boolean"},"int":{"type":"integer"},"string":{"type":"string"},"version":{"type":"string"}}}},"bindings":{"type":"object","additionalProperties":{"type":"string"}},"capacity":{"type":"object","additionalProperties":{"type":"object","required":["value"],"properties":{"value":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}}}},"consumesCounters":{"type":"array","items":{"type":"object","required":["counterSet","counters"],"properties":{"counterSet":{"type":"string","minLength":1},"counters":{"type":"object","additionalProperties":{"type":"object","required":["value"],"properties":{"value":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}}}}}}},"allowMultipleAllocations":{"type":"boolean"}}}},"sharedCounters":{"type":"array","items":{"type":"object","required":["counters","name"],"properties":{"name":{"type":"string","minLength":1},"counters":{"type":"object","additionalProperties":{"type":"object","required":["value"],"properties":{"value":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}}}}}}}}}}}}}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.instanceTypes === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "instanceTypes"},message:"must have required property '"+"instanceTypes"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "instanceTypes"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
if("joinery.dev/v1alpha1" !== data.apiVersion){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "joinery.dev/v1alpha1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.kind !== undefined){
if("InstanceTypeCatalog" !== data.kind){
const err6 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "InstanceTypeCatalog"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
const err7 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.instanceTypes !== undefined){
let data3 = data.instanceTypes;
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.capacity === undefined){
const err8 = {instancePath:instancePath+"/instanceTypes/" + i0,schemaPath:"#/properties/instanceTypes/items/required",keyword:"required",params:{missingProperty: "capacity"},message:"must have required property '"+"capacity"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data4.name === undefined){
const err9 = {instancePath:instancePath+"/instanceTypes/" + i0,schemaPath:"#/properties/instanceTypes/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data4.offerings === undefined){
const err10 = {instancePath:instancePath+"/instanceTypes/" + i0,schemaPath:"#/properties/instanceTypes/items/required",keyword:"required",params:{missingProperty: "offerings"},message:"must have required property '"+"offerings"+"'"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
for(const key1 in data4){
if(!((((((key1 === "name") || (key1 === "requirements")) || (key1 === "capacity")) || (key1 === "overhead")) || (key1 === "offerings")) || (key1 === "deviceTemplates"))){
const err11 = {instancePath:instancePath+"/instanceTypes/" + i0,schemaPath:"#/properties/instanceTypes/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data4.name !== undefined){
let data5 = data4.name;
if(typeof data5 === "string"){
if(data5.length < 1){
const err12 = {instancePath:instancePath+"/instanceTypes/" + i0+"/name",schemaPath:"#/properties/instanceTypes/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
else {
const err13 = {instancePath:instancePath+"/instanceTypes/" + i0+"/name",schemaPath:"#/properties/instanceTypes/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data4.requirements !== undefined){
let data6 = data4.requirements;
if(Array.isArray(data6)){
const len1 = data6.length;
for(let i1=0; i1<len1; i1++){
let data7 = data6[i1];
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(data7.key === undefined){
const err14 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1,schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(data7.operator === undefined){
const err15 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1,schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
for(const key2 in data7){
if(!(((key2 === "key") || (key2 === "operator")) || (key2 === "values"))){
const err16 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1,schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data7.key !== undefined){
if(typeof data7.key !== "string"){
const err17 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1+"/key",schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data7.operator !== undefined){
let data9 = data7.operator;
if(typeof data9 !== "string"){
const err18 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1+"/operator",schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(!((((((((data9 === "Gte") || (data9 === "Lte")) || (data9 === "In")) || (data9 === "NotIn")) || (data9 === "Exists")) || (data9 === "DoesNotExist")) || (data9 === "Gt")) || (data9 === "Lt"))){
const err19 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1+"/operator",schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema12.properties.instanceTypes.items.properties.requirements.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data7.values !== undefined){
let data10 = data7.values;
if(Array.isArray(data10)){
const len2 = data10.length;
for(let i2=0; i2<len2; i2++){
if(typeof data10[i2] !== "string"){
const err20 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1+"/values/" + i2,schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
}
else {
const err21 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1+"/values",schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
else {
const err22 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements/" + i1,schemaPath:"#/properties/instanceTypes/items/properties/requirements/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
}
else {
const err23 = {instancePath:instancePath+"/instanceTypes/" + i0+"/requirements",schemaPath:"#/properties/instanceTypes/items/properties/requirements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data4.capacity !== undefined){
let data12 = data4.capacity;
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
for(const key3 in data12){
let data13 = data12[key3];
const _errs30 = errors;
let valid10 = false;
const _errs31 = errors;
if(!((typeof data13 == "number") && (!(data13 % 1) && !isNaN(data13)))){
const err24 = {instancePath:instancePath+"/instanceTypes/" + i0+"/capacity/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/capacity/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
var _valid0 = _errs31 === errors;
valid10 = valid10 || _valid0;
if(!valid10){
const _errs33 = errors;
if(typeof data13 !== "string"){
const err25 = {instancePath:instancePath+"/instanceTypes/" + i0+"/capacity/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/capacity/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
var _valid0 = _errs33 === errors;
valid10 = valid10 || _valid0;
}
if(!valid10){
const err26 = {instancePath:instancePath+"/instanceTypes/" + i0+"/capacity/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/capacity/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
else {
errors = _errs30;
if(vErrors !== null){
if(_errs30){
vErrors.length = _errs30;
}
else {
vErrors = null;
}
}
}
if(typeof data13 === "string"){
if(!pattern0.test(data13)){
const err27 = {instancePath:instancePath+"/instanceTypes/" + i0+"/capacity/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/capacity/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
}
}
else {
const err28 = {instancePath:instancePath+"/instanceTypes/" + i0+"/capacity",schemaPath:"#/properties/instanceTypes/items/properties/capacity/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data4.overhead !== undefined){
let data14 = data4.overhead;
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
for(const key4 in data14){
if(!(((key4 === "kubeReserved") || (key4 === "systemReserved")) || (key4 === "evictionThreshold"))){
const err29 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead",schemaPath:"#/properties/instanceTypes/items/properties/overhead/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
if(data14.kubeReserved !== undefined){
let data15 = data14.kubeReserved;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
for(const key5 in data15){
let data16 = data15[key5];
const _errs42 = errors;
let valid13 = false;
const _errs43 = errors;
if(!((typeof data16 == "number") && (!(data16 % 1) && !isNaN(data16)))){
const err30 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/kubeReserved/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/kubeReserved/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
var _valid1 = _errs43 === errors;
valid13 = valid13 || _valid1;
if(!valid13){
const _errs45 = errors;
if(typeof data16 !== "string"){
const err31 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/kubeReserved/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/kubeReserved/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
var _valid1 = _errs45 === errors;
valid13 = valid13 || _valid1;
}
if(!valid13){
const err32 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/kubeReserved/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/kubeReserved/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
else {
errors = _errs42;
if(vErrors !== null){
if(_errs42){
vErrors.length = _errs42;
}
else {
vErrors = null;
}
}
}
if(typeof data16 === "string"){
if(!pattern0.test(data16)){
const err33 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/kubeReserved/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/kubeReserved/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
}
}
else {
const err34 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/kubeReserved",schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/kubeReserved/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data14.systemReserved !== undefined){
let data17 = data14.systemReserved;
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
for(const key6 in data17){
let data18 = data17[key6];
const _errs51 = errors;
let valid15 = false;
const _errs52 = errors;
if(!((typeof data18 == "number") && (!(data18 % 1) && !isNaN(data18)))){
const err35 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/systemReserved/" + key6.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/systemReserved/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
var _valid2 = _errs52 === errors;
valid15 = valid15 || _valid2;
if(!valid15){
const _errs54 = errors;
if(typeof data18 !== "string"){
const err36 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/systemReserved/" + key6.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/systemReserved/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
var _valid2 = _errs54 === errors;
valid15 = valid15 || _valid2;
}
if(!valid15){
const err37 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/systemReserved/" + key6.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/systemReserved/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
else {
errors = _errs51;
if(vErrors !== null){
if(_errs51){
vErrors.length = _errs51;
}
else {
vErrors = null;
}
}
}
if(typeof data18 === "string"){
if(!pattern0.test(data18)){
const err38 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/systemReserved/" + key6.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/systemReserved/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
}
}
else {
const err39 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/systemReserved",schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/systemReserved/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data14.evictionThreshold !== undefined){
let data19 = data14.evictionThreshold;
if(data19 && typeof data19 == "object" && !Array.isArray(data19)){
for(const key7 in data19){
let data20 = data19[key7];
const _errs60 = errors;
let valid17 = false;
const _errs61 = errors;
if(!((typeof data20 == "number") && (!(data20 % 1) && !isNaN(data20)))){
const err40 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/evictionThreshold/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/evictionThreshold/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
var _valid3 = _errs61 === errors;
valid17 = valid17 || _valid3;
if(!valid17){
const _errs63 = errors;
if(typeof data20 !== "string"){
const err41 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/evictionThreshold/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/evictionThreshold/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
var _valid3 = _errs63 === errors;
valid17 = valid17 || _valid3;
}
if(!valid17){
const err42 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/evictionThreshold/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/evictionThreshold/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
else {
errors = _errs60;
if(vErrors !== null){
if(_errs60){
vErrors.length = _errs60;
}
else {
vErrors = null;
}
}
}
if(typeof data20 === "string"){
if(!pattern0.test(data20)){
const err43 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/evictionThreshold/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/evictionThreshold/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
}
}
else {
const err44 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead/evictionThreshold",schemaPath:"#/properties/instanceTypes/items/properties/overhead/properties/evictionThreshold/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
}
else {
const err45 = {instancePath:instancePath+"/instanceTypes/" + i0+"/overhead",schemaPath:"#/properties/instanceTypes/items/properties/overhead/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
if(data4.offerings !== undefined){
let data21 = data4.offerings;
if(Array.isArray(data21)){
const len3 = data21.length;
for(let i3=0; i3<len3; i3++){
let data22 = data21[i3];
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
if(data22.price === undefined){
const err46 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/required",keyword:"required",params:{missingProperty: "price"},message:"must have required property '"+"price"+"'"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if(data22.requirements === undefined){
const err47 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/required",keyword:"required",params:{missingProperty: "requirements"},message:"must have required property '"+"requirements"+"'"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
for(const key8 in data22){
if(!((((key8 === "requirements") || (key8 === "price")) || (key8 === "available")) || (key8 === "reservationCapacity"))){
const err48 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
if(data22.requirements !== undefined){
let data23 = data22.requirements;
if(Array.isArray(data23)){
const len4 = data23.length;
for(let i4=0; i4<len4; i4++){
let data24 = data23[i4];
if(data24 && typeof data24 == "object" && !Array.isArray(data24)){
if(data24.key === undefined){
const err49 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
if(data24.operator === undefined){
const err50 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
for(const key9 in data24){
if(!(((key9 === "key") || (key9 === "operator")) || (key9 === "values"))){
const err51 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key9},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
if(data24.key !== undefined){
if(typeof data24.key !== "string"){
const err52 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4+"/key",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
if(data24.operator !== undefined){
let data26 = data24.operator;
if(typeof data26 !== "string"){
const err53 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4+"/operator",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
if(!((((((((data26 === "Gte") || (data26 === "Lte")) || (data26 === "In")) || (data26 === "NotIn")) || (data26 === "Exists")) || (data26 === "DoesNotExist")) || (data26 === "Gt")) || (data26 === "Lt"))){
const err54 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4+"/operator",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema12.properties.instanceTypes.items.properties.offerings.items.properties.requirements.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
if(data24.values !== undefined){
let data27 = data24.values;
if(Array.isArray(data27)){
const len5 = data27.length;
for(let i5=0; i5<len5; i5++){
if(typeof data27[i5] !== "string"){
const err55 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4+"/values/" + i5,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
}
else {
const err56 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4+"/values",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
}
else {
const err57 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements/" + i4,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
}
else {
const err58 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/requirements",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/requirements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
if(data22.price !== undefined){
let data29 = data22.price;
if(typeof data29 == "number"){
if(data29 < 0 || isNaN(data29)){
const err59 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/price",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/price/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
}
else {
const err60 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/price",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/price/type",keyword:"type",params:{type: "number"},message:"must be number"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
if(data22.available !== undefined){
if(typeof data22.available !== "boolean"){
const err61 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/available",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/available/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
if(data22.reservationCapacity !== undefined){
let data31 = data22.reservationCapacity;
if(!((typeof data31 == "number") && (!(data31 % 1) && !isNaN(data31)))){
const err62 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/reservationCapacity",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/reservationCapacity/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
if(typeof data31 == "number"){
if(data31 < 0 || isNaN(data31)){
const err63 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3+"/reservationCapacity",schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/properties/reservationCapacity/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
}
}
else {
const err64 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings/" + i3,schemaPath:"#/properties/instanceTypes/items/properties/offerings/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
}
else {
const err65 = {instancePath:instancePath+"/instanceTypes/" + i0+"/offerings",schemaPath:"#/properties/instanceTypes/items/properties/offerings/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
if(data4.deviceTemplates !== undefined){
let data32 = data4.deviceTemplates;
if(Array.isArray(data32)){
const len6 = data32.length;
for(let i6=0; i6<len6; i6++){
let data33 = data32[i6];
if(data33 && typeof data33 == "object" && !Array.isArray(data33)){
if(data33.devices === undefined){
const err66 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/required",keyword:"required",params:{missingProperty: "devices"},message:"must have required property '"+"devices"+"'"};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
if(data33.driver === undefined){
const err67 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/required",keyword:"required",params:{missingProperty: "driver"},message:"must have required property '"+"driver"+"'"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
for(const key10 in data33){
if(!(((key10 === "driver") || (key10 === "devices")) || (key10 === "sharedCounters"))){
const err68 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key10},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
}
if(data33.driver !== undefined){
let data34 = data33.driver;
if(typeof data34 === "string"){
if(data34.length < 1){
const err69 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/driver",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/driver/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
else {
const err70 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/driver",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/driver/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
if(data33.devices !== undefined){
let data35 = data33.devices;
if(Array.isArray(data35)){
const len7 = data35.length;
for(let i7=0; i7<len7; i7++){
let data36 = data35[i7];
if(data36 && typeof data36 == "object" && !Array.isArray(data36)){
if(data36.name === undefined){
const err71 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
if(data36.name !== undefined){
let data37 = data36.name;
if(typeof data37 === "string"){
if(data37.length < 1){
const err72 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/name",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
else {
const err73 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/name",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
if(data36.attributes !== undefined){
let data38 = data36.attributes;
if(data38 && typeof data38 == "object" && !Array.isArray(data38)){
for(const key11 in data38){
let data39 = data38[key11];
if(data39 && typeof data39 == "object" && !Array.isArray(data39)){
if(data39.bool !== undefined){
if(typeof data39.bool !== "boolean"){
const err74 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/attributes/" + key11.replace(/~/g, "~0").replace(/\//g, "~1")+"/bool",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/attributes/additionalProperties/properties/bool/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data39.int !== undefined){
let data41 = data39.int;
if(!((typeof data41 == "number") && (!(data41 % 1) && !isNaN(data41)))){
const err75 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/attributes/" + key11.replace(/~/g, "~0").replace(/\//g, "~1")+"/int",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/attributes/additionalProperties/properties/int/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
}
if(data39.string !== undefined){
if(typeof data39.string !== "string"){
const err76 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/attributes/" + key11.replace(/~/g, "~0").replace(/\//g, "~1")+"/string",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/attributes/additionalProperties/properties/string/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
if(data39.version !== undefined){
if(typeof data39.version !== "string"){
const err77 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/attributes/" + key11.replace(/~/g, "~0").replace(/\//g, "~1")+"/version",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/attributes/additionalProperties/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
}
}
else {
const err78 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/attributes/" + key11.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/attributes/additionalProperties/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
}
else {
const err79 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/attributes",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/attributes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
if(data36.bindings !== undefined){
let data44 = data36.bindings;
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
for(const key12 in data44){
if(typeof data44[key12] !== "string"){
const err80 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/bindings/" + key12.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/bindings/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
}
else {
const err81 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/bindings",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/bindings/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
}
if(data36.capacity !== undefined){
let data46 = data36.capacity;
if(data46 && typeof data46 == "object" && !Array.isArray(data46)){
for(const key13 in data46){
let data47 = data46[key13];
if(data47 && typeof data47 == "object" && !Array.isArray(data47)){
if(data47.value === undefined){
const err82 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/capacity/" + key13.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/capacity/additionalProperties/required",keyword:"required",params:{missingProperty: "value"},message:"must have required property '"+"value"+"'"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
if(data47.value !== undefined){
let data48 = data47.value;
const _errs126 = errors;
let valid37 = false;
const _errs127 = errors;
if(!((typeof data48 == "number") && (!(data48 % 1) && !isNaN(data48)))){
const err83 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/capacity/" + key13.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/capacity/additionalProperties/properties/value/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
var _valid4 = _errs127 === errors;
valid37 = valid37 || _valid4;
if(!valid37){
const _errs129 = errors;
if(typeof data48 !== "string"){
const err84 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/capacity/" + key13.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/capacity/additionalProperties/properties/value/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
var _valid4 = _errs129 === errors;
valid37 = valid37 || _valid4;
}
if(!valid37){
const err85 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/capacity/" + key13.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/capacity/additionalProperties/properties/value/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
else {
errors = _errs126;
if(vErrors !== null){
if(_errs126){
vErrors.length = _errs126;
}
else {
vErrors = null;
}
}
}
if(typeof data48 === "string"){
if(!pattern0.test(data48)){
const err86 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/capacity/" + key13.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/capacity/additionalProperties/properties/value/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
}
}
else {
const err87 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/capacity/" + key13.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/capacity/additionalProperties/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
}
else {
const err88 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/capacity",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/capacity/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
}
if(data36.consumesCounters !== undefined){
let data49 = data36.consumesCounters;
if(Array.isArray(data49)){
const len8 = data49.length;
for(let i8=0; i8<len8; i8++){
let data50 = data49[i8];
if(data50 && typeof data50 == "object" && !Array.isArray(data50)){
if(data50.counterSet === undefined){
const err89 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/required",keyword:"required",params:{missingProperty: "counterSet"},message:"must have required property '"+"counterSet"+"'"};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
if(data50.counters === undefined){
const err90 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/required",keyword:"required",params:{missingProperty: "counters"},message:"must have required property '"+"counters"+"'"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
if(data50.counterSet !== undefined){
let data51 = data50.counterSet;
if(typeof data51 === "string"){
if(data51.length < 1){
const err91 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counterSet",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counterSet/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
}
else {
const err92 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counterSet",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counterSet/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
}
if(data50.counters !== undefined){
let data52 = data50.counters;
if(data52 && typeof data52 == "object" && !Array.isArray(data52)){
for(const key14 in data52){
let data53 = data52[key14];
if(data53 && typeof data53 == "object" && !Array.isArray(data53)){
if(data53.value === undefined){
const err93 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counters/" + key14.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counters/additionalProperties/required",keyword:"required",params:{missingProperty: "value"},message:"must have required property '"+"value"+"'"};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
if(data53.value !== undefined){
let data54 = data53.value;
const _errs143 = errors;
let valid43 = false;
const _errs144 = errors;
if(!((typeof data54 == "number") && (!(data54 % 1) && !isNaN(data54)))){
const err94 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counters/" + key14.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counters/additionalProperties/properties/value/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
var _valid5 = _errs144 === errors;
valid43 = valid43 || _valid5;
if(!valid43){
const _errs146 = errors;
if(typeof data54 !== "string"){
const err95 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counters/" + key14.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counters/additionalProperties/properties/value/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
var _valid5 = _errs146 === errors;
valid43 = valid43 || _valid5;
}
if(!valid43){
const err96 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counters/" + key14.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counters/additionalProperties/properties/value/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
else {
errors = _errs143;
if(vErrors !== null){
if(_errs143){
vErrors.length = _errs143;
}
else {
vErrors = null;
}
}
}
if(typeof data54 === "string"){
if(!pattern0.test(data54)){
const err97 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counters/" + key14.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counters/additionalProperties/properties/value/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
}
}
}
else {
const err98 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counters/" + key14.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counters/additionalProperties/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
}
else {
const err99 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8+"/counters",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/properties/counters/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
}
else {
const err100 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters/" + i8,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
}
}
else {
const err101 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/consumesCounters",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/consumesCounters/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
}
if(data36.allowMultipleAllocations !== undefined){
if(typeof data36.allowMultipleAllocations !== "boolean"){
const err102 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7+"/allowMultipleAllocations",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/properties/allowMultipleAllocations/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
}
}
else {
const err103 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices/" + i7,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
}
}
else {
const err104 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/devices",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/devices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
}
if(data33.sharedCounters !== undefined){
let data56 = data33.sharedCounters;
if(Array.isArray(data56)){
const len9 = data56.length;
for(let i9=0; i9<len9; i9++){
let data57 = data56[i9];
if(data57 && typeof data57 == "object" && !Array.isArray(data57)){
if(data57.counters === undefined){
const err105 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/required",keyword:"required",params:{missingProperty: "counters"},message:"must have required property '"+"counters"+"'"};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
if(data57.name === undefined){
const err106 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
if(data57.name !== undefined){
let data58 = data57.name;
if(typeof data58 === "string"){
if(data58.length < 1){
const err107 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/name",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
}
else {
const err108 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/name",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
}
if(data57.counters !== undefined){
let data59 = data57.counters;
if(data59 && typeof data59 == "object" && !Array.isArray(data59)){
for(const key15 in data59){
let data60 = data59[key15];
if(data60 && typeof data60 == "object" && !Array.isArray(data60)){
if(data60.value === undefined){
const err109 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/counters/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/counters/additionalProperties/required",keyword:"required",params:{missingProperty: "value"},message:"must have required property '"+"value"+"'"};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
if(data60.value !== undefined){
let data61 = data60.value;
const _errs162 = errors;
let valid49 = false;
const _errs163 = errors;
if(!((typeof data61 == "number") && (!(data61 % 1) && !isNaN(data61)))){
const err110 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/counters/" + key15.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/counters/additionalProperties/properties/value/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
var _valid6 = _errs163 === errors;
valid49 = valid49 || _valid6;
if(!valid49){
const _errs165 = errors;
if(typeof data61 !== "string"){
const err111 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/counters/" + key15.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/counters/additionalProperties/properties/value/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
var _valid6 = _errs165 === errors;
valid49 = valid49 || _valid6;
}
if(!valid49){
const err112 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/counters/" + key15.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/counters/additionalProperties/properties/value/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
else {
errors = _errs162;
if(vErrors !== null){
if(_errs162){
vErrors.length = _errs162;
}
else {
vErrors = null;
}
}
}
if(typeof data61 === "string"){
if(!pattern0.test(data61)){
const err113 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/counters/" + key15.replace(/~/g, "~0").replace(/\//g, "~1")+"/value",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/counters/additionalProperties/properties/value/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
}
}
}
else {
const err114 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/counters/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/counters/additionalProperties/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
}
}
else {
const err115 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9+"/counters",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/properties/counters/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
}
}
else {
const err116 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters/" + i9,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
}
}
else {
const err117 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6+"/sharedCounters",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/properties/sharedCounters/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
}
}
else {
const err118 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates/" + i6,schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err118];
}
else {
vErrors.push(err118);
}
errors++;
}
}
}
else {
const err119 = {instancePath:instancePath+"/instanceTypes/" + i0+"/deviceTemplates",schemaPath:"#/properties/instanceTypes/items/properties/deviceTemplates/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err119];
}
else {
vErrors.push(err119);
}
errors++;
}
}
}
else {
const err120 = {instancePath:instancePath+"/instanceTypes/" + i0,schemaPath:"#/properties/instanceTypes/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
}
}
else {
const err121 = {instancePath:instancePath+"/instanceTypes",schemaPath:"#/properties/instanceTypes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
}
}
else {
const err122 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
validate11.errors = vErrors;
return errors === 0;
}

export const validateRolloutPolicy = validate12;
const schema13 = {"type":"object","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"const":"joinery.dev/v1alpha1"},"kind":{"const":"RolloutPolicy"},"metadata":{"type":"object"},"spec":{"type":"object","required":["nodePoolSelector"],"properties":{"nodePoolSelector":{"type":"object","properties":{"names":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"string","minLength":1,"maxLength":253}},"matchLabels":{"type":"object","maxProperties":50,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","maxItems":50,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","maxLength":316},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"]},"values":{"type":"array","maxItems":100,"items":{"type":"string","maxLength":63}}}}}}},"mode":{"type":"string","enum":["Automatic","Approve","NewNodesOnly","Observe"]},"steps":{"type":"array","maxItems":20,"items":{"type":"object","required":["nodes"],"properties":{"nodes":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^((100|[1-9][0-9]?)%|[1-9][0-9]*)$"},"soak":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"}}}},"order":{"type":"object","required":["by"],"properties":{"by":{"type":"string","enum":["LeastDisruption","Age","Zone","NodePool","Label"]},"label":{"type":"string","minLength":1,"maxLength":316},"first":{"type":"array","maxItems":100,"items":{"type":"string","maxLength":253}}}},"gates":{"type":"object","properties":{"nodeReadyTimeout":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"},"maxFailedNodes":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^((100|[0-9]{1,2})%|[0-9]+)$"},"maxUnhealthyNodes":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^((100|[0-9]{1,2})%|[0-9]+)$"},"podsHealthy":{"type":"boolean"},"podReadyTimeout":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"},"nodeConditions":{"type":"array","maxItems":20,"items":{"type":"object","required":["type"],"properties":{"type":{"type":"string","minLength":1,"maxLength":316},"status":{"type":"string","enum":["True","False"]}}}},"prometheus":{"type":"object","required":["address","query","operator","threshold"],"properties":{"address":{"type":"string","minLength":1,"maxLength":1024,"pattern":"^https?://[^\\s]+$"},"query":{"type":"string","minLength":1,"maxLength":4096},"operator":{"type":"string","enum":["LessThan","LessThanOrEqual","GreaterThan","GreaterThanOrEqual"]},"threshold":{"type":"string","maxLength":32,"pattern":"^-?[0-9]+(\\.[0-9]+)?$"},"for":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"}}}}},"onFailure":{"type":"string","enum":["Halt","Rollback"]},"minImageAge":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"},"windows":{"type":"array","maxItems":20,"items":{"type":"object","required":["duration","schedule"],"properties":{"timeZone":{"type":"string","minLength":1,"maxLength":64},"schedule":{"type":"string","maxLength":256,"pattern":"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|\\S+\\s+\\S+\\s+\\S+\\s+\\S+\\s+\\S+)$"},"duration":{"type":"string","maxLength":32,"pattern":"^([0-9]+(m|h))+$"}}}},"blackoutDates":{"type":"array","maxItems":100,"items":{"type":"object","required":["from"],"properties":{"from":{"type":"string","maxLength":10,"pattern":"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},"to":{"type":"string","maxLength":10,"pattern":"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},"timeZone":{"type":"string","minLength":1,"maxLength":64},"reason":{"type":"string","maxLength":256}}}},"covers":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["Drift","Expiration","Consolidation"]}},"rate":{"type":"object","required":["nodes","per"],"properties":{"nodes":{"type":"integer","minimum":1,"maximum":10000},"per":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"}}},"sharedBudget":{"type":"string","maxLength":16,"pattern":"^((100|[0-9]{1,2})%|[0-9]+)$"},"deadline":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"},"pausedUntil":{"type":"string"},"softExpireAfter":{"type":"string","maxLength":32,"pattern":"^(([0-9]+(s|m|h))+|Never)$"},"softExpireJitter":{"type":"string","maxLength":4,"pattern":"^(100|[0-9]{1,2})%$"},"historyLimit":{"type":"integer","minimum":0,"maximum":50}}},"status":{"type":"object","properties":{"observedGeneration":{"type":"integer"},"phase":{"type":"string","enum":["Idle","Waiting","AwaitingApproval","Progressing","Soaking","Paused","Halted","RollingBack","Completed"]},"reason":{"type":"string"},"message":{"type":"string","maxLength":32768},"revision":{"type":"string"},"step":{"type":"integer"},"steps":{"type":"integer"},"totalNodes":{"type":"integer"},"updatedNodes":{"type":"integer"},"blockedNodes":{"type":"integer"},"blockedBy":{"type":"array","maxItems":10,"items":{"type":"object","required":["reason","nodes","message"],"properties":{"reason":{"type":"string"},"nodes":{"type":"integer"},"message":{"type":"string","maxLength":1024}}}},"failedNodes":{"type":"integer"},"startTime":{"type":"string"},"stepStartTime":{"type":"string"},"stepReachedTime":{"type":"string"},"soakedUntil":{"type":"string"},"nextWindowTime":{"type":"string"},"deadlineTime":{"type":"string"},"stepGoal":{"type":"integer"},"startNodes":{"type":"integer"},"imageChanges":{"type":"array","maxItems":1000,"items":{"type":"string"}},"leaving":{"type":"array","maxItems":1000,"items":{"type":"string"}},"replacedNodes":{"type":"integer"},"inForce":{"type":"object","properties":{"generation":{"type":"integer"},"steps":{"type":"array","maxItems":20,"items":{"type":"object","required":["nodes"],"properties":{"nodes":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^((100|[1-9][0-9]?)%|[1-9][0-9]*)$"},"soak":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"}}}},"gates":{"type":"object","properties":{"nodeReadyTimeout":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"},"maxFailedNodes":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^((100|[0-9]{1,2})%|[0-9]+)$"},"maxUnhealthyNodes":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^((100|[0-9]{1,2})%|[0-9]+)$"},"podsHealthy":{"type":"boolean"},"podReadyTimeout":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"},"nodeConditions":{"type":"array","maxItems":20,"items":{"type":"object","required":["type"],"properties":{"type":{"type":"string","minLength":1,"maxLength":316},"status":{"type":"string","enum":["True","False"]}}}},"prometheus":{"type":"object","required":["address","query","operator","threshold"],"properties":{"address":{"type":"string","minLength":1,"maxLength":1024,"pattern":"^https?://[^\\s]+$"},"query":{"type":"string","minLength":1,"maxLength":4096},"operator":{"type":"string","enum":["LessThan","LessThanOrEqual","GreaterThan","GreaterThanOrEqual"]},"threshold":{"type":"string","maxLength":32,"pattern":"^-?[0-9]+(\\.[0-9]+)?$"},"for":{"type":"string","maxLength":32,"pattern":"^([0-9]+(s|m|h))+$"}}}}},"onFailure":{"type":"string","enum":["Halt","Rollback"]}}},"rate":{"type":"object","required":["time","tokens"],"properties":{"tokens":{"type":"string"},"time":{"type":"string"},"paid":{"type":"array","maxItems":10000,"items":{"type":"string"}}}},"pending":{"type":"array","maxItems":1000,"items":{"type":"object","required":["name","since"],"properties":{"name":{"type":"string"},"since":{"type":"string"},"launched":{"type":"boolean"},"failed":{"type":"boolean"},"nodeClass":{"type":"string","maxLength":253}}}},"badSince":{"type":"string"},"failure":{"type":"object","required":["reason","message","time","state"],"properties":{"reason":{"type":"string"},"message":{"type":"string","maxLength":32768},"time":{"type":"string"},"generation":{"type":"integer"},"state":{"type":"string","enum":["Halted","RollingBack","RolledBack"]},"targets":{"type":"array","maxItems":1000,"items":{"type":"object","required":["name","target"],"properties":{"name":{"type":"string"},"target":{"type":"string"}}}},"nodeClasses":{"type":"array","maxItems":1000,"items":{"type":"string"}}}},"approvals":{"type":"array","maxItems":1000,"items":{"type":"object","required":["kind","name","target"],"properties":{"kind":{"type":"string"},"name":{"type":"string"},"target":{"type":"string"},"time":{"type":"string"},"fieldManager":{"type":"string"},"user":{"type":"string","maxLength":1024}}}},"nodePools":{"type":"array","maxItems":1000,"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"currentHash":{"type":"string"},"targetHash":{"type":"string"},"totalNodes":{"type":"integer"},"updatedNodes":{"type":"integer"},"blockedNodes":{"type":"integer"},"phase":{"type":"string"},"governedBy":{"type":"string"},"approved":{"type":"boolean"},"startNodes":{"type":"integer"}}}},"history":{"type":"array","maxItems":50,"items":{"type":"object","required":["outcome","revision"],"properties":{"revision":{"type":"string"},"outcome":{"type":"string","enum":["Completed","Halted","RolledBack","Superseded"]},"message":{"type":"string","maxLength":32768},"totalNodes":{"type":"integer"},"updatedNodes":{"type":"integer"},"startTime":{"type":"string"},"completionTime":{"type":"string"},"number":{"type":"integer"},"images":{"type":"array","maxItems":100,"items":{"type":"string"}}}}},"conditions":{"type":"array","items":{"type":"object","required":["lastTransitionTime","message","reason","status","type"],"properties":{"type":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},"status":{"type":"string","enum":["True","False","Unknown"]},"lastTransitionTime":{"type":"string"},"observedGeneration":{"type":"integer","minimum":0},"reason":{"type":"string","minLength":1,"maxLength":1024,"pattern":"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},"message":{"type":"string","maxLength":32768}}}}}}}};
const pattern10 = func2("^((100|[1-9][0-9]?)%|[1-9][0-9]*)$", "");
const pattern11 = func2("^([0-9]+(s|m|h))+$", "");
const pattern13 = func2("^((100|[0-9]{1,2})%|[0-9]+)$", "");
const pattern16 = func2("^https?://[^\\s]+$", "");
const pattern17 = func2("^-?[0-9]+(\\.[0-9]+)?$", "");
const pattern20 = func2("^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|\\S+\\s+\\S+\\s+\\S+\\s+\\S+\\s+\\S+)$", "");
const pattern21 = func2("^([0-9]+(m|h))+$", "");
const pattern22 = func2("^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", "");
const pattern27 = func2("^(([0-9]+(s|m|h))+|Never)$", "");
const pattern28 = func2("^(100|[0-9]{1,2})%$", "");

function validate12(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.apiVersion !== undefined){
if("joinery.dev/v1alpha1" !== data.apiVersion){
const err4 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "joinery.dev/v1alpha1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.kind !== undefined){
if("RolloutPolicy" !== data.kind){
const err5 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "RolloutPolicy"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
const err6 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.spec !== undefined){
let data3 = data.spec;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.nodePoolSelector === undefined){
const err7 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "nodePoolSelector"},message:"must have required property '"+"nodePoolSelector"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data3.nodePoolSelector !== undefined){
let data4 = data3.nodePoolSelector;
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.names !== undefined){
let data5 = data4.names;
if(Array.isArray(data5)){
if(data5.length > 100){
const err8 = {instancePath:instancePath+"/spec/nodePoolSelector/names",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/names/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data5.length < 1){
const err9 = {instancePath:instancePath+"/spec/nodePoolSelector/names",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/names/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
const len0 = data5.length;
for(let i0=0; i0<len0; i0++){
let data6 = data5[i0];
if(typeof data6 === "string"){
if(data6.length > 253){
const err10 = {instancePath:instancePath+"/spec/nodePoolSelector/names/" + i0,schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/names/items/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(data6.length < 1){
const err11 = {instancePath:instancePath+"/spec/nodePoolSelector/names/" + i0,schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/names/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
else {
const err12 = {instancePath:instancePath+"/spec/nodePoolSelector/names/" + i0,schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/names/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
else {
const err13 = {instancePath:instancePath+"/spec/nodePoolSelector/names",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/names/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data4.matchLabels !== undefined){
let data7 = data4.matchLabels;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(Object.keys(data7).length > 50){
const err14 = {instancePath:instancePath+"/spec/nodePoolSelector/matchLabels",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchLabels/maxProperties",keyword:"maxProperties",params:{limit: 50},message:"must NOT have more than 50 properties"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
for(const key0 in data7){
let data8 = data7[key0];
if(typeof data8 === "string"){
if(data8.length > 63){
const err15 = {instancePath:instancePath+"/spec/nodePoolSelector/matchLabels/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchLabels/additionalProperties/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
else {
const err16 = {instancePath:instancePath+"/spec/nodePoolSelector/matchLabels/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchLabels/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
}
else {
const err17 = {instancePath:instancePath+"/spec/nodePoolSelector/matchLabels",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchLabels/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data4.matchExpressions !== undefined){
let data9 = data4.matchExpressions;
if(Array.isArray(data9)){
if(data9.length > 50){
const err18 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
const len1 = data9.length;
for(let i1=0; i1<len1; i1++){
let data10 = data9[i1];
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.key === undefined){
const err19 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1,schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data10.operator === undefined){
const err20 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1,schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(data10.key !== undefined){
let data11 = data10.key;
if(typeof data11 === "string"){
if(data11.length > 316){
const err21 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1+"/key",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/properties/key/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
else {
const err22 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1+"/key",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
if(data10.operator !== undefined){
let data12 = data10.operator;
if(typeof data12 !== "string"){
const err23 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1+"/operator",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if(!((((data12 === "In") || (data12 === "NotIn")) || (data12 === "Exists")) || (data12 === "DoesNotExist"))){
const err24 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1+"/operator",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema13.properties.spec.properties.nodePoolSelector.properties.matchExpressions.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data10.values !== undefined){
let data13 = data10.values;
if(Array.isArray(data13)){
if(data13.length > 100){
const err25 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1+"/values",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/properties/values/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
const len2 = data13.length;
for(let i2=0; i2<len2; i2++){
let data14 = data13[i2];
if(typeof data14 === "string"){
if(data14.length > 63){
const err26 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1+"/values/" + i2,schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/properties/values/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
else {
const err27 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1+"/values/" + i2,schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
}
else {
const err28 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1+"/values",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
}
else {
const err29 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions/" + i1,schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
}
else {
const err30 = {instancePath:instancePath+"/spec/nodePoolSelector/matchExpressions",schemaPath:"#/properties/spec/properties/nodePoolSelector/properties/matchExpressions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
}
else {
const err31 = {instancePath:instancePath+"/spec/nodePoolSelector",schemaPath:"#/properties/spec/properties/nodePoolSelector/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
if(data3.mode !== undefined){
let data15 = data3.mode;
if(typeof data15 !== "string"){
const err32 = {instancePath:instancePath+"/spec/mode",schemaPath:"#/properties/spec/properties/mode/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
if(!((((data15 === "Automatic") || (data15 === "Approve")) || (data15 === "NewNodesOnly")) || (data15 === "Observe"))){
const err33 = {instancePath:instancePath+"/spec/mode",schemaPath:"#/properties/spec/properties/mode/enum",keyword:"enum",params:{allowedValues: schema13.properties.spec.properties.mode.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data3.steps !== undefined){
let data16 = data3.steps;
if(Array.isArray(data16)){
if(data16.length > 20){
const err34 = {instancePath:instancePath+"/spec/steps",schemaPath:"#/properties/spec/properties/steps/maxItems",keyword:"maxItems",params:{limit: 20},message:"must NOT have more than 20 items"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
const len3 = data16.length;
for(let i3=0; i3<len3; i3++){
let data17 = data16[i3];
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
if(data17.nodes === undefined){
const err35 = {instancePath:instancePath+"/spec/steps/" + i3,schemaPath:"#/properties/spec/properties/steps/items/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
if(data17.nodes !== undefined){
let data18 = data17.nodes;
const _errs37 = errors;
let valid14 = false;
const _errs38 = errors;
if(!((typeof data18 == "number") && (!(data18 % 1) && !isNaN(data18)))){
const err36 = {instancePath:instancePath+"/spec/steps/" + i3+"/nodes",schemaPath:"#/properties/spec/properties/steps/items/properties/nodes/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
var _valid0 = _errs38 === errors;
valid14 = valid14 || _valid0;
if(!valid14){
const _errs40 = errors;
if(typeof data18 !== "string"){
const err37 = {instancePath:instancePath+"/spec/steps/" + i3+"/nodes",schemaPath:"#/properties/spec/properties/steps/items/properties/nodes/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
var _valid0 = _errs40 === errors;
valid14 = valid14 || _valid0;
}
if(!valid14){
const err38 = {instancePath:instancePath+"/spec/steps/" + i3+"/nodes",schemaPath:"#/properties/spec/properties/steps/items/properties/nodes/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
else {
errors = _errs37;
if(vErrors !== null){
if(_errs37){
vErrors.length = _errs37;
}
else {
vErrors = null;
}
}
}
if(typeof data18 === "string"){
if(!pattern10.test(data18)){
const err39 = {instancePath:instancePath+"/spec/steps/" + i3+"/nodes",schemaPath:"#/properties/spec/properties/steps/items/properties/nodes/pattern",keyword:"pattern",params:{pattern: "^((100|[1-9][0-9]?)%|[1-9][0-9]*)$"},message:"must match pattern \""+"^((100|[1-9][0-9]?)%|[1-9][0-9]*)$"+"\""};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
}
if(data17.soak !== undefined){
let data19 = data17.soak;
if(typeof data19 === "string"){
if(data19.length > 32){
const err40 = {instancePath:instancePath+"/spec/steps/" + i3+"/soak",schemaPath:"#/properties/spec/properties/steps/items/properties/soak/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
if(!pattern11.test(data19)){
const err41 = {instancePath:instancePath+"/spec/steps/" + i3+"/soak",schemaPath:"#/properties/spec/properties/steps/items/properties/soak/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
else {
const err42 = {instancePath:instancePath+"/spec/steps/" + i3+"/soak",schemaPath:"#/properties/spec/properties/steps/items/properties/soak/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
}
else {
const err43 = {instancePath:instancePath+"/spec/steps/" + i3,schemaPath:"#/properties/spec/properties/steps/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
}
else {
const err44 = {instancePath:instancePath+"/spec/steps",schemaPath:"#/properties/spec/properties/steps/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
if(data3.order !== undefined){
let data20 = data3.order;
if(data20 && typeof data20 == "object" && !Array.isArray(data20)){
if(data20.by === undefined){
const err45 = {instancePath:instancePath+"/spec/order",schemaPath:"#/properties/spec/properties/order/required",keyword:"required",params:{missingProperty: "by"},message:"must have required property '"+"by"+"'"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
if(data20.by !== undefined){
let data21 = data20.by;
if(typeof data21 !== "string"){
const err46 = {instancePath:instancePath+"/spec/order/by",schemaPath:"#/properties/spec/properties/order/properties/by/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if(!(((((data21 === "LeastDisruption") || (data21 === "Age")) || (data21 === "Zone")) || (data21 === "NodePool")) || (data21 === "Label"))){
const err47 = {instancePath:instancePath+"/spec/order/by",schemaPath:"#/properties/spec/properties/order/properties/by/enum",keyword:"enum",params:{allowedValues: schema13.properties.spec.properties.order.properties.by.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
if(data20.label !== undefined){
let data22 = data20.label;
if(typeof data22 === "string"){
if(data22.length > 316){
const err48 = {instancePath:instancePath+"/spec/order/label",schemaPath:"#/properties/spec/properties/order/properties/label/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
if(data22.length < 1){
const err49 = {instancePath:instancePath+"/spec/order/label",schemaPath:"#/properties/spec/properties/order/properties/label/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
else {
const err50 = {instancePath:instancePath+"/spec/order/label",schemaPath:"#/properties/spec/properties/order/properties/label/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
if(data20.first !== undefined){
let data23 = data20.first;
if(Array.isArray(data23)){
if(data23.length > 100){
const err51 = {instancePath:instancePath+"/spec/order/first",schemaPath:"#/properties/spec/properties/order/properties/first/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
const len4 = data23.length;
for(let i4=0; i4<len4; i4++){
let data24 = data23[i4];
if(typeof data24 === "string"){
if(data24.length > 253){
const err52 = {instancePath:instancePath+"/spec/order/first/" + i4,schemaPath:"#/properties/spec/properties/order/properties/first/items/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
else {
const err53 = {instancePath:instancePath+"/spec/order/first/" + i4,schemaPath:"#/properties/spec/properties/order/properties/first/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
}
else {
const err54 = {instancePath:instancePath+"/spec/order/first",schemaPath:"#/properties/spec/properties/order/properties/first/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
}
else {
const err55 = {instancePath:instancePath+"/spec/order",schemaPath:"#/properties/spec/properties/order/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
if(data3.gates !== undefined){
let data25 = data3.gates;
if(data25 && typeof data25 == "object" && !Array.isArray(data25)){
if(data25.nodeReadyTimeout !== undefined){
let data26 = data25.nodeReadyTimeout;
if(typeof data26 === "string"){
if(data26.length > 32){
const err56 = {instancePath:instancePath+"/spec/gates/nodeReadyTimeout",schemaPath:"#/properties/spec/properties/gates/properties/nodeReadyTimeout/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
if(!pattern11.test(data26)){
const err57 = {instancePath:instancePath+"/spec/gates/nodeReadyTimeout",schemaPath:"#/properties/spec/properties/gates/properties/nodeReadyTimeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
else {
const err58 = {instancePath:instancePath+"/spec/gates/nodeReadyTimeout",schemaPath:"#/properties/spec/properties/gates/properties/nodeReadyTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
if(data25.maxFailedNodes !== undefined){
let data27 = data25.maxFailedNodes;
const _errs59 = errors;
let valid19 = false;
const _errs60 = errors;
if(!((typeof data27 == "number") && (!(data27 % 1) && !isNaN(data27)))){
const err59 = {instancePath:instancePath+"/spec/gates/maxFailedNodes",schemaPath:"#/properties/spec/properties/gates/properties/maxFailedNodes/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
var _valid1 = _errs60 === errors;
valid19 = valid19 || _valid1;
if(!valid19){
const _errs62 = errors;
if(typeof data27 !== "string"){
const err60 = {instancePath:instancePath+"/spec/gates/maxFailedNodes",schemaPath:"#/properties/spec/properties/gates/properties/maxFailedNodes/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
var _valid1 = _errs62 === errors;
valid19 = valid19 || _valid1;
}
if(!valid19){
const err61 = {instancePath:instancePath+"/spec/gates/maxFailedNodes",schemaPath:"#/properties/spec/properties/gates/properties/maxFailedNodes/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
else {
errors = _errs59;
if(vErrors !== null){
if(_errs59){
vErrors.length = _errs59;
}
else {
vErrors = null;
}
}
}
if(typeof data27 === "string"){
if(!pattern13.test(data27)){
const err62 = {instancePath:instancePath+"/spec/gates/maxFailedNodes",schemaPath:"#/properties/spec/properties/gates/properties/maxFailedNodes/pattern",keyword:"pattern",params:{pattern: "^((100|[0-9]{1,2})%|[0-9]+)$"},message:"must match pattern \""+"^((100|[0-9]{1,2})%|[0-9]+)$"+"\""};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
}
if(data25.maxUnhealthyNodes !== undefined){
let data28 = data25.maxUnhealthyNodes;
const _errs65 = errors;
let valid20 = false;
const _errs66 = errors;
if(!((typeof data28 == "number") && (!(data28 % 1) && !isNaN(data28)))){
const err63 = {instancePath:instancePath+"/spec/gates/maxUnhealthyNodes",schemaPath:"#/properties/spec/properties/gates/properties/maxUnhealthyNodes/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
var _valid2 = _errs66 === errors;
valid20 = valid20 || _valid2;
if(!valid20){
const _errs68 = errors;
if(typeof data28 !== "string"){
const err64 = {instancePath:instancePath+"/spec/gates/maxUnhealthyNodes",schemaPath:"#/properties/spec/properties/gates/properties/maxUnhealthyNodes/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
var _valid2 = _errs68 === errors;
valid20 = valid20 || _valid2;
}
if(!valid20){
const err65 = {instancePath:instancePath+"/spec/gates/maxUnhealthyNodes",schemaPath:"#/properties/spec/properties/gates/properties/maxUnhealthyNodes/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
else {
errors = _errs65;
if(vErrors !== null){
if(_errs65){
vErrors.length = _errs65;
}
else {
vErrors = null;
}
}
}
if(typeof data28 === "string"){
if(!pattern13.test(data28)){
const err66 = {instancePath:instancePath+"/spec/gates/maxUnhealthyNodes",schemaPath:"#/properties/spec/properties/gates/properties/maxUnhealthyNodes/pattern",keyword:"pattern",params:{pattern: "^((100|[0-9]{1,2})%|[0-9]+)$"},message:"must match pattern \""+"^((100|[0-9]{1,2})%|[0-9]+)$"+"\""};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
}
}
if(data25.podsHealthy !== undefined){
if(typeof data25.podsHealthy !== "boolean"){
const err67 = {instancePath:instancePath+"/spec/gates/podsHealthy",schemaPath:"#/properties/spec/properties/gates/properties/podsHealthy/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
if(data25.podReadyTimeout !== undefined){
let data30 = data25.podReadyTimeout;
if(typeof data30 === "string"){
if(data30.length > 32){
const err68 = {instancePath:instancePath+"/spec/gates/podReadyTimeout",schemaPath:"#/properties/spec/properties/gates/properties/podReadyTimeout/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
if(!pattern11.test(data30)){
const err69 = {instancePath:instancePath+"/spec/gates/podReadyTimeout",schemaPath:"#/properties/spec/properties/gates/properties/podReadyTimeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
else {
const err70 = {instancePath:instancePath+"/spec/gates/podReadyTimeout",schemaPath:"#/properties/spec/properties/gates/properties/podReadyTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
if(data25.nodeConditions !== undefined){
let data31 = data25.nodeConditions;
if(Array.isArray(data31)){
if(data31.length > 20){
const err71 = {instancePath:instancePath+"/spec/gates/nodeConditions",schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/maxItems",keyword:"maxItems",params:{limit: 20},message:"must NOT have more than 20 items"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
const len5 = data31.length;
for(let i5=0; i5<len5; i5++){
let data32 = data31[i5];
if(data32 && typeof data32 == "object" && !Array.isArray(data32)){
if(data32.type === undefined){
const err72 = {instancePath:instancePath+"/spec/gates/nodeConditions/" + i5,schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
if(data32.type !== undefined){
let data33 = data32.type;
if(typeof data33 === "string"){
if(data33.length > 316){
const err73 = {instancePath:instancePath+"/spec/gates/nodeConditions/" + i5+"/type",schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
if(data33.length < 1){
const err74 = {instancePath:instancePath+"/spec/gates/nodeConditions/" + i5+"/type",schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/items/properties/type/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
else {
const err75 = {instancePath:instancePath+"/spec/gates/nodeConditions/" + i5+"/type",schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
}
if(data32.status !== undefined){
let data34 = data32.status;
if(typeof data34 !== "string"){
const err76 = {instancePath:instancePath+"/spec/gates/nodeConditions/" + i5+"/status",schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
if(!((data34 === "True") || (data34 === "False"))){
const err77 = {instancePath:instancePath+"/spec/gates/nodeConditions/" + i5+"/status",schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema13.properties.spec.properties.gates.properties.nodeConditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
}
}
else {
const err78 = {instancePath:instancePath+"/spec/gates/nodeConditions/" + i5,schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
}
else {
const err79 = {instancePath:instancePath+"/spec/gates/nodeConditions",schemaPath:"#/properties/spec/properties/gates/properties/nodeConditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
if(data25.prometheus !== undefined){
let data35 = data25.prometheus;
if(data35 && typeof data35 == "object" && !Array.isArray(data35)){
if(data35.address === undefined){
const err80 = {instancePath:instancePath+"/spec/gates/prometheus",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/required",keyword:"required",params:{missingProperty: "address"},message:"must have required property '"+"address"+"'"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
if(data35.query === undefined){
const err81 = {instancePath:instancePath+"/spec/gates/prometheus",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/required",keyword:"required",params:{missingProperty: "query"},message:"must have required property '"+"query"+"'"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
if(data35.operator === undefined){
const err82 = {instancePath:instancePath+"/spec/gates/prometheus",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
if(data35.threshold === undefined){
const err83 = {instancePath:instancePath+"/spec/gates/prometheus",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/required",keyword:"required",params:{missingProperty: "threshold"},message:"must have required property '"+"threshold"+"'"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
if(data35.address !== undefined){
let data36 = data35.address;
if(typeof data36 === "string"){
if(data36.length > 1024){
const err84 = {instancePath:instancePath+"/spec/gates/prometheus/address",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/address/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
if(data36.length < 1){
const err85 = {instancePath:instancePath+"/spec/gates/prometheus/address",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/address/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
if(!pattern16.test(data36)){
const err86 = {instancePath:instancePath+"/spec/gates/prometheus/address",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/address/pattern",keyword:"pattern",params:{pattern: "^https?://[^\\s]+$"},message:"must match pattern \""+"^https?://[^\\s]+$"+"\""};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
else {
const err87 = {instancePath:instancePath+"/spec/gates/prometheus/address",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/address/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
if(data35.query !== undefined){
let data37 = data35.query;
if(typeof data37 === "string"){
if(data37.length > 4096){
const err88 = {instancePath:instancePath+"/spec/gates/prometheus/query",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/query/maxLength",keyword:"maxLength",params:{limit: 4096},message:"must NOT have more than 4096 characters"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
if(data37.length < 1){
const err89 = {instancePath:instancePath+"/spec/gates/prometheus/query",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/query/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
}
else {
const err90 = {instancePath:instancePath+"/spec/gates/prometheus/query",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/query/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
}
if(data35.operator !== undefined){
let data38 = data35.operator;
if(typeof data38 !== "string"){
const err91 = {instancePath:instancePath+"/spec/gates/prometheus/operator",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
if(!((((data38 === "LessThan") || (data38 === "LessThanOrEqual")) || (data38 === "GreaterThan")) || (data38 === "GreaterThanOrEqual"))){
const err92 = {instancePath:instancePath+"/spec/gates/prometheus/operator",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/operator/enum",keyword:"enum",params:{allowedValues: schema13.properties.spec.properties.gates.properties.prometheus.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
}
if(data35.threshold !== undefined){
let data39 = data35.threshold;
if(typeof data39 === "string"){
if(data39.length > 32){
const err93 = {instancePath:instancePath+"/spec/gates/prometheus/threshold",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/threshold/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
if(!pattern17.test(data39)){
const err94 = {instancePath:instancePath+"/spec/gates/prometheus/threshold",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/threshold/pattern",keyword:"pattern",params:{pattern: "^-?[0-9]+(\\.[0-9]+)?$"},message:"must match pattern \""+"^-?[0-9]+(\\.[0-9]+)?$"+"\""};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
}
else {
const err95 = {instancePath:instancePath+"/spec/gates/prometheus/threshold",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/threshold/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
}
if(data35.for !== undefined){
let data40 = data35.for;
if(typeof data40 === "string"){
if(data40.length > 32){
const err96 = {instancePath:instancePath+"/spec/gates/prometheus/for",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/for/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
if(!pattern11.test(data40)){
const err97 = {instancePath:instancePath+"/spec/gates/prometheus/for",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/for/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
}
else {
const err98 = {instancePath:instancePath+"/spec/gates/prometheus/for",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/properties/for/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
}
else {
const err99 = {instancePath:instancePath+"/spec/gates/prometheus",schemaPath:"#/properties/spec/properties/gates/properties/prometheus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
}
else {
const err100 = {instancePath:instancePath+"/spec/gates",schemaPath:"#/properties/spec/properties/gates/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
}
if(data3.onFailure !== undefined){
let data41 = data3.onFailure;
if(typeof data41 !== "string"){
const err101 = {instancePath:instancePath+"/spec/onFailure",schemaPath:"#/properties/spec/properties/onFailure/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
if(!((data41 === "Halt") || (data41 === "Rollback"))){
const err102 = {instancePath:instancePath+"/spec/onFailure",schemaPath:"#/properties/spec/properties/onFailure/enum",keyword:"enum",params:{allowedValues: schema13.properties.spec.properties.onFailure.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
}
if(data3.minImageAge !== undefined){
let data42 = data3.minImageAge;
if(typeof data42 === "string"){
if(data42.length > 32){
const err103 = {instancePath:instancePath+"/spec/minImageAge",schemaPath:"#/properties/spec/properties/minImageAge/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
if(!pattern11.test(data42)){
const err104 = {instancePath:instancePath+"/spec/minImageAge",schemaPath:"#/properties/spec/properties/minImageAge/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
}
else {
const err105 = {instancePath:instancePath+"/spec/minImageAge",schemaPath:"#/properties/spec/properties/minImageAge/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
}
if(data3.windows !== undefined){
let data43 = data3.windows;
if(Array.isArray(data43)){
if(data43.length > 20){
const err106 = {instancePath:instancePath+"/spec/windows",schemaPath:"#/properties/spec/properties/windows/maxItems",keyword:"maxItems",params:{limit: 20},message:"must NOT have more than 20 items"};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
const len6 = data43.length;
for(let i6=0; i6<len6; i6++){
let data44 = data43[i6];
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
if(data44.duration === undefined){
const err107 = {instancePath:instancePath+"/spec/windows/" + i6,schemaPath:"#/properties/spec/properties/windows/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
if(data44.schedule === undefined){
const err108 = {instancePath:instancePath+"/spec/windows/" + i6,schemaPath:"#/properties/spec/properties/windows/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
if(data44.timeZone !== undefined){
let data45 = data44.timeZone;
if(typeof data45 === "string"){
if(data45.length > 64){
const err109 = {instancePath:instancePath+"/spec/windows/" + i6+"/timeZone",schemaPath:"#/properties/spec/properties/windows/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
if(data45.length < 1){
const err110 = {instancePath:instancePath+"/spec/windows/" + i6+"/timeZone",schemaPath:"#/properties/spec/properties/windows/items/properties/timeZone/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
}
else {
const err111 = {instancePath:instancePath+"/spec/windows/" + i6+"/timeZone",schemaPath:"#/properties/spec/properties/windows/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
}
if(data44.schedule !== undefined){
let data46 = data44.schedule;
if(typeof data46 === "string"){
if(data46.length > 256){
const err112 = {instancePath:instancePath+"/spec/windows/" + i6+"/schedule",schemaPath:"#/properties/spec/properties/windows/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
if(!pattern20.test(data46)){
const err113 = {instancePath:instancePath+"/spec/windows/" + i6+"/schedule",schemaPath:"#/properties/spec/properties/windows/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|\\S+\\s+\\S+\\s+\\S+\\s+\\S+\\s+\\S+)$"},message:"must match pattern \""+"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|\\S+\\s+\\S+\\s+\\S+\\s+\\S+\\s+\\S+)$"+"\""};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
}
else {
const err114 = {instancePath:instancePath+"/spec/windows/" + i6+"/schedule",schemaPath:"#/properties/spec/properties/windows/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
}
if(data44.duration !== undefined){
let data47 = data44.duration;
if(typeof data47 === "string"){
if(data47.length > 32){
const err115 = {instancePath:instancePath+"/spec/windows/" + i6+"/duration",schemaPath:"#/properties/spec/properties/windows/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
if(!pattern21.test(data47)){
const err116 = {instancePath:instancePath+"/spec/windows/" + i6+"/duration",schemaPath:"#/properties/spec/properties/windows/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(m|h))+$"},message:"must match pattern \""+"^([0-9]+(m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
}
else {
const err117 = {instancePath:instancePath+"/spec/windows/" + i6+"/duration",schemaPath:"#/properties/spec/properties/windows/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
}
}
else {
const err118 = {instancePath:instancePath+"/spec/windows/" + i6,schemaPath:"#/properties/spec/properties/windows/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err118];
}
else {
vErrors.push(err118);
}
errors++;
}
}
}
else {
const err119 = {instancePath:instancePath+"/spec/windows",schemaPath:"#/properties/spec/properties/windows/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err119];
}
else {
vErrors.push(err119);
}
errors++;
}
}
if(data3.blackoutDates !== undefined){
let data48 = data3.blackoutDates;
if(Array.isArray(data48)){
if(data48.length > 100){
const err120 = {instancePath:instancePath+"/spec/blackoutDates",schemaPath:"#/properties/spec/properties/blackoutDates/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
const len7 = data48.length;
for(let i7=0; i7<len7; i7++){
let data49 = data48[i7];
if(data49 && typeof data49 == "object" && !Array.isArray(data49)){
if(data49.from === undefined){
const err121 = {instancePath:instancePath+"/spec/blackoutDates/" + i7,schemaPath:"#/properties/spec/properties/blackoutDates/items/required",keyword:"required",params:{missingProperty: "from"},message:"must have required property '"+"from"+"'"};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
if(data49.from !== undefined){
let data50 = data49.from;
if(typeof data50 === "string"){
if(data50.length > 10){
const err122 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/from",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/from/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
if(!pattern22.test(data50)){
const err123 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/from",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/from/pattern",keyword:"pattern",params:{pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},message:"must match pattern \""+"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"+"\""};
if(vErrors === null){
vErrors = [err123];
}
else {
vErrors.push(err123);
}
errors++;
}
}
else {
const err124 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/from",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/from/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err124];
}
else {
vErrors.push(err124);
}
errors++;
}
}
if(data49.to !== undefined){
let data51 = data49.to;
if(typeof data51 === "string"){
if(data51.length > 10){
const err125 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/to",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/to/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err125];
}
else {
vErrors.push(err125);
}
errors++;
}
if(!pattern22.test(data51)){
const err126 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/to",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/to/pattern",keyword:"pattern",params:{pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},message:"must match pattern \""+"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"+"\""};
if(vErrors === null){
vErrors = [err126];
}
else {
vErrors.push(err126);
}
errors++;
}
}
else {
const err127 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/to",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/to/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err127];
}
else {
vErrors.push(err127);
}
errors++;
}
}
if(data49.timeZone !== undefined){
let data52 = data49.timeZone;
if(typeof data52 === "string"){
if(data52.length > 64){
const err128 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/timeZone",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err128];
}
else {
vErrors.push(err128);
}
errors++;
}
if(data52.length < 1){
const err129 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/timeZone",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/timeZone/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err129];
}
else {
vErrors.push(err129);
}
errors++;
}
}
else {
const err130 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/timeZone",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err130];
}
else {
vErrors.push(err130);
}
errors++;
}
}
if(data49.reason !== undefined){
let data53 = data49.reason;
if(typeof data53 === "string"){
if(data53.length > 256){
const err131 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/reason",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err131];
}
else {
vErrors.push(err131);
}
errors++;
}
}
else {
const err132 = {instancePath:instancePath+"/spec/blackoutDates/" + i7+"/reason",schemaPath:"#/properties/spec/properties/blackoutDates/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err132];
}
else {
vErrors.push(err132);
}
errors++;
}
}
}
else {
const err133 = {instancePath:instancePath+"/spec/blackoutDates/" + i7,schemaPath:"#/properties/spec/properties/blackoutDates/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err133];
}
else {
vErrors.push(err133);
}
errors++;
}
}
}
else {
const err134 = {instancePath:instancePath+"/spec/blackoutDates",schemaPath:"#/properties/spec/properties/blackoutDates/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err134];
}
else {
vErrors.push(err134);
}
errors++;
}
}
if(data3.covers !== undefined){
let data54 = data3.covers;
if(Array.isArray(data54)){
if(data54.length > 3){
const err135 = {instancePath:instancePath+"/spec/covers",schemaPath:"#/properties/spec/properties/covers/maxItems",keyword:"maxItems",params:{limit: 3},message:"must NOT have more than 3 items"};
if(vErrors === null){
vErrors = [err135];
}
else {
vErrors.push(err135);
}
errors++;
}
if(data54.length < 1){
const err136 = {instancePath:instancePath+"/spec/covers",schemaPath:"#/properties/spec/properties/covers/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err136];
}
else {
vErrors.push(err136);
}
errors++;
}
const len8 = data54.length;
for(let i8=0; i8<len8; i8++){
let data55 = data54[i8];
if(typeof data55 !== "string"){
const err137 = {instancePath:instancePath+"/spec/covers/" + i8,schemaPath:"#/properties/spec/properties/covers/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err137];
}
else {
vErrors.push(err137);
}
errors++;
}
if(!(((data55 === "Drift") || (data55 === "Expiration")) || (data55 === "Consolidation"))){
const err138 = {instancePath:instancePath+"/spec/covers/" + i8,schemaPath:"#/properties/spec/properties/covers/items/enum",keyword:"enum",params:{allowedValues: schema13.properties.spec.properties.covers.items.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err138];
}
else {
vErrors.push(err138);
}
errors++;
}
}
}
else {
const err139 = {instancePath:instancePath+"/spec/covers",schemaPath:"#/properties/spec/properties/covers/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err139];
}
else {
vErrors.push(err139);
}
errors++;
}
}
if(data3.rate !== undefined){
let data56 = data3.rate;
if(data56 && typeof data56 == "object" && !Array.isArray(data56)){
if(data56.nodes === undefined){
const err140 = {instancePath:instancePath+"/spec/rate",schemaPath:"#/properties/spec/properties/rate/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err140];
}
else {
vErrors.push(err140);
}
errors++;
}
if(data56.per === undefined){
const err141 = {instancePath:instancePath+"/spec/rate",schemaPath:"#/properties/spec/properties/rate/required",keyword:"required",params:{missingProperty: "per"},message:"must have required property '"+"per"+"'"};
if(vErrors === null){
vErrors = [err141];
}
else {
vErrors.push(err141);
}
errors++;
}
if(data56.nodes !== undefined){
let data57 = data56.nodes;
if(!((typeof data57 == "number") && (!(data57 % 1) && !isNaN(data57)))){
const err142 = {instancePath:instancePath+"/spec/rate/nodes",schemaPath:"#/properties/spec/properties/rate/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err142];
}
else {
vErrors.push(err142);
}
errors++;
}
if(typeof data57 == "number"){
if(data57 > 10000 || isNaN(data57)){
const err143 = {instancePath:instancePath+"/spec/rate/nodes",schemaPath:"#/properties/spec/properties/rate/properties/nodes/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err143];
}
else {
vErrors.push(err143);
}
errors++;
}
if(data57 < 1 || isNaN(data57)){
const err144 = {instancePath:instancePath+"/spec/rate/nodes",schemaPath:"#/properties/spec/properties/rate/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err144];
}
else {
vErrors.push(err144);
}
errors++;
}
}
}
if(data56.per !== undefined){
let data58 = data56.per;
if(typeof data58 === "string"){
if(data58.length > 32){
const err145 = {instancePath:instancePath+"/spec/rate/per",schemaPath:"#/properties/spec/properties/rate/properties/per/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err145];
}
else {
vErrors.push(err145);
}
errors++;
}
if(!pattern11.test(data58)){
const err146 = {instancePath:instancePath+"/spec/rate/per",schemaPath:"#/properties/spec/properties/rate/properties/per/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err146];
}
else {
vErrors.push(err146);
}
errors++;
}
}
else {
const err147 = {instancePath:instancePath+"/spec/rate/per",schemaPath:"#/properties/spec/properties/rate/properties/per/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err147];
}
else {
vErrors.push(err147);
}
errors++;
}
}
}
else {
const err148 = {instancePath:instancePath+"/spec/rate",schemaPath:"#/properties/spec/properties/rate/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err148];
}
else {
vErrors.push(err148);
}
errors++;
}
}
if(data3.sharedBudget !== undefined){
let data59 = data3.sharedBudget;
if(typeof data59 === "string"){
if(data59.length > 16){
const err149 = {instancePath:instancePath+"/spec/sharedBudget",schemaPath:"#/properties/spec/properties/sharedBudget/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err149];
}
else {
vErrors.push(err149);
}
errors++;
}
if(!pattern13.test(data59)){
const err150 = {instancePath:instancePath+"/spec/sharedBudget",schemaPath:"#/properties/spec/properties/sharedBudget/pattern",keyword:"pattern",params:{pattern: "^((100|[0-9]{1,2})%|[0-9]+)$"},message:"must match pattern \""+"^((100|[0-9]{1,2})%|[0-9]+)$"+"\""};
if(vErrors === null){
vErrors = [err150];
}
else {
vErrors.push(err150);
}
errors++;
}
}
else {
const err151 = {instancePath:instancePath+"/spec/sharedBudget",schemaPath:"#/properties/spec/properties/sharedBudget/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err151];
}
else {
vErrors.push(err151);
}
errors++;
}
}
if(data3.deadline !== undefined){
let data60 = data3.deadline;
if(typeof data60 === "string"){
if(data60.length > 32){
const err152 = {instancePath:instancePath+"/spec/deadline",schemaPath:"#/properties/spec/properties/deadline/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err152];
}
else {
vErrors.push(err152);
}
errors++;
}
if(!pattern11.test(data60)){
const err153 = {instancePath:instancePath+"/spec/deadline",schemaPath:"#/properties/spec/properties/deadline/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err153];
}
else {
vErrors.push(err153);
}
errors++;
}
}
else {
const err154 = {instancePath:instancePath+"/spec/deadline",schemaPath:"#/properties/spec/properties/deadline/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err154];
}
else {
vErrors.push(err154);
}
errors++;
}
}
if(data3.pausedUntil !== undefined){
if(typeof data3.pausedUntil !== "string"){
const err155 = {instancePath:instancePath+"/spec/pausedUntil",schemaPath:"#/properties/spec/properties/pausedUntil/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err155];
}
else {
vErrors.push(err155);
}
errors++;
}
}
if(data3.softExpireAfter !== undefined){
let data62 = data3.softExpireAfter;
if(typeof data62 === "string"){
if(data62.length > 32){
const err156 = {instancePath:instancePath+"/spec/softExpireAfter",schemaPath:"#/properties/spec/properties/softExpireAfter/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err156];
}
else {
vErrors.push(err156);
}
errors++;
}
if(!pattern27.test(data62)){
const err157 = {instancePath:instancePath+"/spec/softExpireAfter",schemaPath:"#/properties/spec/properties/softExpireAfter/pattern",keyword:"pattern",params:{pattern: "^(([0-9]+(s|m|h))+|Never)$"},message:"must match pattern \""+"^(([0-9]+(s|m|h))+|Never)$"+"\""};
if(vErrors === null){
vErrors = [err157];
}
else {
vErrors.push(err157);
}
errors++;
}
}
else {
const err158 = {instancePath:instancePath+"/spec/softExpireAfter",schemaPath:"#/properties/spec/properties/softExpireAfter/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err158];
}
else {
vErrors.push(err158);
}
errors++;
}
}
if(data3.softExpireJitter !== undefined){
let data63 = data3.softExpireJitter;
if(typeof data63 === "string"){
if(data63.length > 4){
const err159 = {instancePath:instancePath+"/spec/softExpireJitter",schemaPath:"#/properties/spec/properties/softExpireJitter/maxLength",keyword:"maxLength",params:{limit: 4},message:"must NOT have more than 4 characters"};
if(vErrors === null){
vErrors = [err159];
}
else {
vErrors.push(err159);
}
errors++;
}
if(!pattern28.test(data63)){
const err160 = {instancePath:instancePath+"/spec/softExpireJitter",schemaPath:"#/properties/spec/properties/softExpireJitter/pattern",keyword:"pattern",params:{pattern: "^(100|[0-9]{1,2})%$"},message:"must match pattern \""+"^(100|[0-9]{1,2})%$"+"\""};
if(vErrors === null){
vErrors = [err160];
}
else {
vErrors.push(err160);
}
errors++;
}
}
else {
const err161 = {instancePath:instancePath+"/spec/softExpireJitter",schemaPath:"#/properties/spec/properties/softExpireJitter/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err161];
}
else {
vErrors.push(err161);
}
errors++;
}
}
if(data3.historyLimit !== undefined){
let data64 = data3.historyLimit;
if(!((typeof data64 == "number") && (!(data64 % 1) && !isNaN(data64)))){
const err162 = {instancePath:instancePath+"/spec/historyLimit",schemaPath:"#/properties/spec/properties/historyLimit/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err162];
}
else {
vErrors.push(err162);
}
errors++;
}
if(typeof data64 == "number"){
if(data64 > 50 || isNaN(data64)){
const err163 = {instancePath:instancePath+"/spec/historyLimit",schemaPath:"#/properties/spec/properties/historyLimit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 50},message:"must be <= 50"};
if(vErrors === null){
vErrors = [err163];
}
else {
vErrors.push(err163);
}
errors++;
}
if(data64 < 0 || isNaN(data64)){
const err164 = {instancePath:instancePath+"/spec/historyLimit",schemaPath:"#/properties/spec/properties/historyLimit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err164];
}
else {
vErrors.push(err164);
}
errors++;
}
}
}
}
else {
const err165 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err165];
}
else {
vErrors.push(err165);
}
errors++;
}
}
if(data.status !== undefined){
let data65 = data.status;
if(data65 && typeof data65 == "object" && !Array.isArray(data65)){
if(data65.observedGeneration !== undefined){
let data66 = data65.observedGeneration;
if(!((typeof data66 == "number") && (!(data66 % 1) && !isNaN(data66)))){
const err166 = {instancePath:instancePath+"/status/observedGeneration",schemaPath:"#/properties/status/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err166];
}
else {
vErrors.push(err166);
}
errors++;
}
}
if(data65.phase !== undefined){
let data67 = data65.phase;
if(typeof data67 !== "string"){
const err167 = {instancePath:instancePath+"/status/phase",schemaPath:"#/properties/status/properties/phase/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err167];
}
else {
vErrors.push(err167);
}
errors++;
}
if(!(((((((((data67 === "Idle") || (data67 === "Waiting")) || (data67 === "AwaitingApproval")) || (data67 === "Progressing")) || (data67 === "Soaking")) || (data67 === "Paused")) || (data67 === "Halted")) || (data67 === "RollingBack")) || (data67 === "Completed"))){
const err168 = {instancePath:instancePath+"/status/phase",schemaPath:"#/properties/status/properties/phase/enum",keyword:"enum",params:{allowedValues: schema13.properties.status.properties.phase.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err168];
}
else {
vErrors.push(err168);
}
errors++;
}
}
if(data65.reason !== undefined){
if(typeof data65.reason !== "string"){
const err169 = {instancePath:instancePath+"/status/reason",schemaPath:"#/properties/status/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err169];
}
else {
vErrors.push(err169);
}
errors++;
}
}
if(data65.message !== undefined){
let data69 = data65.message;
if(typeof data69 === "string"){
if(data69.length > 32768){
const err170 = {instancePath:instancePath+"/status/message",schemaPath:"#/properties/status/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err170];
}
else {
vErrors.push(err170);
}
errors++;
}
}
else {
const err171 = {instancePath:instancePath+"/status/message",schemaPath:"#/properties/status/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err171];
}
else {
vErrors.push(err171);
}
errors++;
}
}
if(data65.revision !== undefined){
if(typeof data65.revision !== "string"){
const err172 = {instancePath:instancePath+"/status/revision",schemaPath:"#/properties/status/properties/revision/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err172];
}
else {
vErrors.push(err172);
}
errors++;
}
}
if(data65.step !== undefined){
let data71 = data65.step;
if(!((typeof data71 == "number") && (!(data71 % 1) && !isNaN(data71)))){
const err173 = {instancePath:instancePath+"/status/step",schemaPath:"#/properties/status/properties/step/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err173];
}
else {
vErrors.push(err173);
}
errors++;
}
}
if(data65.steps !== undefined){
let data72 = data65.steps;
if(!((typeof data72 == "number") && (!(data72 % 1) && !isNaN(data72)))){
const err174 = {instancePath:instancePath+"/status/steps",schemaPath:"#/properties/status/properties/steps/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err174];
}
else {
vErrors.push(err174);
}
errors++;
}
}
if(data65.totalNodes !== undefined){
let data73 = data65.totalNodes;
if(!((typeof data73 == "number") && (!(data73 % 1) && !isNaN(data73)))){
const err175 = {instancePath:instancePath+"/status/totalNodes",schemaPath:"#/properties/status/properties/totalNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err175];
}
else {
vErrors.push(err175);
}
errors++;
}
}
if(data65.updatedNodes !== undefined){
let data74 = data65.updatedNodes;
if(!((typeof data74 == "number") && (!(data74 % 1) && !isNaN(data74)))){
const err176 = {instancePath:instancePath+"/status/updatedNodes",schemaPath:"#/properties/status/properties/updatedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err176];
}
else {
vErrors.push(err176);
}
errors++;
}
}
if(data65.blockedNodes !== undefined){
let data75 = data65.blockedNodes;
if(!((typeof data75 == "number") && (!(data75 % 1) && !isNaN(data75)))){
const err177 = {instancePath:instancePath+"/status/blockedNodes",schemaPath:"#/properties/status/properties/blockedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err177];
}
else {
vErrors.push(err177);
}
errors++;
}
}
if(data65.blockedBy !== undefined){
let data76 = data65.blockedBy;
if(Array.isArray(data76)){
if(data76.length > 10){
const err178 = {instancePath:instancePath+"/status/blockedBy",schemaPath:"#/properties/status/properties/blockedBy/maxItems",keyword:"maxItems",params:{limit: 10},message:"must NOT have more than 10 items"};
if(vErrors === null){
vErrors = [err178];
}
else {
vErrors.push(err178);
}
errors++;
}
const len9 = data76.length;
for(let i9=0; i9<len9; i9++){
let data77 = data76[i9];
if(data77 && typeof data77 == "object" && !Array.isArray(data77)){
if(data77.reason === undefined){
const err179 = {instancePath:instancePath+"/status/blockedBy/" + i9,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err179];
}
else {
vErrors.push(err179);
}
errors++;
}
if(data77.nodes === undefined){
const err180 = {instancePath:instancePath+"/status/blockedBy/" + i9,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err180];
}
else {
vErrors.push(err180);
}
errors++;
}
if(data77.message === undefined){
const err181 = {instancePath:instancePath+"/status/blockedBy/" + i9,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err181];
}
else {
vErrors.push(err181);
}
errors++;
}
if(data77.reason !== undefined){
if(typeof data77.reason !== "string"){
const err182 = {instancePath:instancePath+"/status/blockedBy/" + i9+"/reason",schemaPath:"#/properties/status/properties/blockedBy/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err182];
}
else {
vErrors.push(err182);
}
errors++;
}
}
if(data77.nodes !== undefined){
let data79 = data77.nodes;
if(!((typeof data79 == "number") && (!(data79 % 1) && !isNaN(data79)))){
const err183 = {instancePath:instancePath+"/status/blockedBy/" + i9+"/nodes",schemaPath:"#/properties/status/properties/blockedBy/items/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err183];
}
else {
vErrors.push(err183);
}
errors++;
}
}
if(data77.message !== undefined){
let data80 = data77.message;
if(typeof data80 === "string"){
if(data80.length > 1024){
const err184 = {instancePath:instancePath+"/status/blockedBy/" + i9+"/message",schemaPath:"#/properties/status/properties/blockedBy/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err184];
}
else {
vErrors.push(err184);
}
errors++;
}
}
else {
const err185 = {instancePath:instancePath+"/status/blockedBy/" + i9+"/message",schemaPath:"#/properties/status/properties/blockedBy/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err185];
}
else {
vErrors.push(err185);
}
errors++;
}
}
}
else {
const err186 = {instancePath:instancePath+"/status/blockedBy/" + i9,schemaPath:"#/properties/status/properties/blockedBy/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err186];
}
else {
vErrors.push(err186);
}
errors++;
}
}
}
else {
const err187 = {instancePath:instancePath+"/status/blockedBy",schemaPath:"#/properties/status/properties/blockedBy/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err187];
}
else {
vErrors.push(err187);
}
errors++;
}
}
if(data65.failedNodes !== undefined){
let data81 = data65.failedNodes;
if(!((typeof data81 == "number") && (!(data81 % 1) && !isNaN(data81)))){
const err188 = {instancePath:instancePath+"/status/failedNodes",schemaPath:"#/properties/status/properties/failedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err188];
}
else {
vErrors.push(err188);
}
errors++;
}
}
if(data65.startTime !== undefined){
if(typeof data65.startTime !== "string"){
const err189 = {instancePath:instancePath+"/status/startTime",schemaPath:"#/properties/status/properties/startTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err189];
}
else {
vErrors.push(err189);
}
errors++;
}
}
if(data65.stepStartTime !== undefined){
if(typeof data65.stepStartTime !== "string"){
const err190 = {instancePath:instancePath+"/status/stepStartTime",schemaPath:"#/properties/status/properties/stepStartTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err190];
}
else {
vErrors.push(err190);
}
errors++;
}
}
if(data65.stepReachedTime !== undefined){
if(typeof data65.stepReachedTime !== "string"){
const err191 = {instancePath:instancePath+"/status/stepReachedTime",schemaPath:"#/properties/status/properties/stepReachedTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err191];
}
else {
vErrors.push(err191);
}
errors++;
}
}
if(data65.soakedUntil !== undefined){
if(typeof data65.soakedUntil !== "string"){
const err192 = {instancePath:instancePath+"/status/soakedUntil",schemaPath:"#/properties/status/properties/soakedUntil/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err192];
}
else {
vErrors.push(err192);
}
errors++;
}
}
if(data65.nextWindowTime !== undefined){
if(typeof data65.nextWindowTime !== "string"){
const err193 = {instancePath:instancePath+"/status/nextWindowTime",schemaPath:"#/properties/status/properties/nextWindowTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err193];
}
else {
vErrors.push(err193);
}
errors++;
}
}
if(data65.deadlineTime !== undefined){
if(typeof data65.deadlineTime !== "string"){
const err194 = {instancePath:instancePath+"/status/deadlineTime",schemaPath:"#/properties/status/properties/deadlineTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err194];
}
else {
vErrors.push(err194);
}
errors++;
}
}
if(data65.stepGoal !== undefined){
let data88 = data65.stepGoal;
if(!((typeof data88 == "number") && (!(data88 % 1) && !isNaN(data88)))){
const err195 = {instancePath:instancePath+"/status/stepGoal",schemaPath:"#/properties/status/properties/stepGoal/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err195];
}
else {
vErrors.push(err195);
}
errors++;
}
}
if(data65.startNodes !== undefined){
let data89 = data65.startNodes;
if(!((typeof data89 == "number") && (!(data89 % 1) && !isNaN(data89)))){
const err196 = {instancePath:instancePath+"/status/startNodes",schemaPath:"#/properties/status/properties/startNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err196];
}
else {
vErrors.push(err196);
}
errors++;
}
}
if(data65.imageChanges !== undefined){
let data90 = data65.imageChanges;
if(Array.isArray(data90)){
if(data90.length > 1000){
const err197 = {instancePath:instancePath+"/status/imageChanges",schemaPath:"#/properties/status/properties/imageChanges/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err197];
}
else {
vErrors.push(err197);
}
errors++;
}
const len10 = data90.length;
for(let i10=0; i10<len10; i10++){
if(typeof data90[i10] !== "string"){
const err198 = {instancePath:instancePath+"/status/imageChanges/" + i10,schemaPath:"#/properties/status/properties/imageChanges/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err198];
}
else {
vErrors.push(err198);
}
errors++;
}
}
}
else {
const err199 = {instancePath:instancePath+"/status/imageChanges",schemaPath:"#/properties/status/properties/imageChanges/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err199];
}
else {
vErrors.push(err199);
}
errors++;
}
}
if(data65.leaving !== undefined){
let data92 = data65.leaving;
if(Array.isArray(data92)){
if(data92.length > 1000){
const err200 = {instancePath:instancePath+"/status/leaving",schemaPath:"#/properties/status/properties/leaving/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err200];
}
else {
vErrors.push(err200);
}
errors++;
}
const len11 = data92.length;
for(let i11=0; i11<len11; i11++){
if(typeof data92[i11] !== "string"){
const err201 = {instancePath:instancePath+"/status/leaving/" + i11,schemaPath:"#/properties/status/properties/leaving/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err201];
}
else {
vErrors.push(err201);
}
errors++;
}
}
}
else {
const err202 = {instancePath:instancePath+"/status/leaving",schemaPath:"#/properties/status/properties/leaving/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err202];
}
else {
vErrors.push(err202);
}
errors++;
}
}
if(data65.replacedNodes !== undefined){
let data94 = data65.replacedNodes;
if(!((typeof data94 == "number") && (!(data94 % 1) && !isNaN(data94)))){
const err203 = {instancePath:instancePath+"/status/replacedNodes",schemaPath:"#/properties/status/properties/replacedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err203];
}
else {
vErrors.push(err203);
}
errors++;
}
}
if(data65.inForce !== undefined){
let data95 = data65.inForce;
if(data95 && typeof data95 == "object" && !Array.isArray(data95)){
if(data95.generation !== undefined){
let data96 = data95.generation;
if(!((typeof data96 == "number") && (!(data96 % 1) && !isNaN(data96)))){
const err204 = {instancePath:instancePath+"/status/inForce/generation",schemaPath:"#/properties/status/properties/inForce/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err204];
}
else {
vErrors.push(err204);
}
errors++;
}
}
if(data95.steps !== undefined){
let data97 = data95.steps;
if(Array.isArray(data97)){
if(data97.length > 20){
const err205 = {instancePath:instancePath+"/status/inForce/steps",schemaPath:"#/properties/status/properties/inForce/properties/steps/maxItems",keyword:"maxItems",params:{limit: 20},message:"must NOT have more than 20 items"};
if(vErrors === null){
vErrors = [err205];
}
else {
vErrors.push(err205);
}
errors++;
}
const len12 = data97.length;
for(let i12=0; i12<len12; i12++){
let data98 = data97[i12];
if(data98 && typeof data98 == "object" && !Array.isArray(data98)){
if(data98.nodes === undefined){
const err206 = {instancePath:instancePath+"/status/inForce/steps/" + i12,schemaPath:"#/properties/status/properties/inForce/properties/steps/items/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err206];
}
else {
vErrors.push(err206);
}
errors++;
}
if(data98.nodes !== undefined){
let data99 = data98.nodes;
const _errs211 = errors;
let valid46 = false;
const _errs212 = errors;
if(!((typeof data99 == "number") && (!(data99 % 1) && !isNaN(data99)))){
const err207 = {instancePath:instancePath+"/status/inForce/steps/" + i12+"/nodes",schemaPath:"#/properties/status/properties/inForce/properties/steps/items/properties/nodes/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err207];
}
else {
vErrors.push(err207);
}
errors++;
}
var _valid3 = _errs212 === errors;
valid46 = valid46 || _valid3;
if(!valid46){
const _errs214 = errors;
if(typeof data99 !== "string"){
const err208 = {instancePath:instancePath+"/status/inForce/steps/" + i12+"/nodes",schemaPath:"#/properties/status/properties/inForce/properties/steps/items/properties/nodes/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err208];
}
else {
vErrors.push(err208);
}
errors++;
}
var _valid3 = _errs214 === errors;
valid46 = valid46 || _valid3;
}
if(!valid46){
const err209 = {instancePath:instancePath+"/status/inForce/steps/" + i12+"/nodes",schemaPath:"#/properties/status/properties/inForce/properties/steps/items/properties/nodes/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err209];
}
else {
vErrors.push(err209);
}
errors++;
}
else {
errors = _errs211;
if(vErrors !== null){
if(_errs211){
vErrors.length = _errs211;
}
else {
vErrors = null;
}
}
}
if(typeof data99 === "string"){
if(!pattern10.test(data99)){
const err210 = {instancePath:instancePath+"/status/inForce/steps/" + i12+"/nodes",schemaPath:"#/properties/status/properties/inForce/properties/steps/items/properties/nodes/pattern",keyword:"pattern",params:{pattern: "^((100|[1-9][0-9]?)%|[1-9][0-9]*)$"},message:"must match pattern \""+"^((100|[1-9][0-9]?)%|[1-9][0-9]*)$"+"\""};
if(vErrors === null){
vErrors = [err210];
}
else {
vErrors.push(err210);
}
errors++;
}
}
}
if(data98.soak !== undefined){
let data100 = data98.soak;
if(typeof data100 === "string"){
if(data100.length > 32){
const err211 = {instancePath:instancePath+"/status/inForce/steps/" + i12+"/soak",schemaPath:"#/properties/status/properties/inForce/properties/steps/items/properties/soak/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err211];
}
else {
vErrors.push(err211);
}
errors++;
}
if(!pattern11.test(data100)){
const err212 = {instancePath:instancePath+"/status/inForce/steps/" + i12+"/soak",schemaPath:"#/properties/status/properties/inForce/properties/steps/items/properties/soak/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err212];
}
else {
vErrors.push(err212);
}
errors++;
}
}
else {
const err213 = {instancePath:instancePath+"/status/inForce/steps/" + i12+"/soak",schemaPath:"#/properties/status/properties/inForce/properties/steps/items/properties/soak/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err213];
}
else {
vErrors.push(err213);
}
errors++;
}
}
}
else {
const err214 = {instancePath:instancePath+"/status/inForce/steps/" + i12,schemaPath:"#/properties/status/properties/inForce/properties/steps/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err214];
}
else {
vErrors.push(err214);
}
errors++;
}
}
}
else {
const err215 = {instancePath:instancePath+"/status/inForce/steps",schemaPath:"#/properties/status/properties/inForce/properties/steps/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err215];
}
else {
vErrors.push(err215);
}
errors++;
}
}
if(data95.gates !== undefined){
let data101 = data95.gates;
if(data101 && typeof data101 == "object" && !Array.isArray(data101)){
if(data101.nodeReadyTimeout !== undefined){
let data102 = data101.nodeReadyTimeout;
if(typeof data102 === "string"){
if(data102.length > 32){
const err216 = {instancePath:instancePath+"/status/inForce/gates/nodeReadyTimeout",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeReadyTimeout/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err216];
}
else {
vErrors.push(err216);
}
errors++;
}
if(!pattern11.test(data102)){
const err217 = {instancePath:instancePath+"/status/inForce/gates/nodeReadyTimeout",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeReadyTimeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err217];
}
else {
vErrors.push(err217);
}
errors++;
}
}
else {
const err218 = {instancePath:instancePath+"/status/inForce/gates/nodeReadyTimeout",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeReadyTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err218];
}
else {
vErrors.push(err218);
}
errors++;
}
}
if(data101.maxFailedNodes !== undefined){
let data103 = data101.maxFailedNodes;
const _errs223 = errors;
let valid48 = false;
const _errs224 = errors;
if(!((typeof data103 == "number") && (!(data103 % 1) && !isNaN(data103)))){
const err219 = {instancePath:instancePath+"/status/inForce/gates/maxFailedNodes",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/maxFailedNodes/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err219];
}
else {
vErrors.push(err219);
}
errors++;
}
var _valid4 = _errs224 === errors;
valid48 = valid48 || _valid4;
if(!valid48){
const _errs226 = errors;
if(typeof data103 !== "string"){
const err220 = {instancePath:instancePath+"/status/inForce/gates/maxFailedNodes",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/maxFailedNodes/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err220];
}
else {
vErrors.push(err220);
}
errors++;
}
var _valid4 = _errs226 === errors;
valid48 = valid48 || _valid4;
}
if(!valid48){
const err221 = {instancePath:instancePath+"/status/inForce/gates/maxFailedNodes",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/maxFailedNodes/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err221];
}
else {
vErrors.push(err221);
}
errors++;
}
else {
errors = _errs223;
if(vErrors !== null){
if(_errs223){
vErrors.length = _errs223;
}
else {
vErrors = null;
}
}
}
if(typeof data103 === "string"){
if(!pattern13.test(data103)){
const err222 = {instancePath:instancePath+"/status/inForce/gates/maxFailedNodes",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/maxFailedNodes/pattern",keyword:"pattern",params:{pattern: "^((100|[0-9]{1,2})%|[0-9]+)$"},message:"must match pattern \""+"^((100|[0-9]{1,2})%|[0-9]+)$"+"\""};
if(vErrors === null){
vErrors = [err222];
}
else {
vErrors.push(err222);
}
errors++;
}
}
}
if(data101.maxUnhealthyNodes !== undefined){
let data104 = data101.maxUnhealthyNodes;
const _errs229 = errors;
let valid49 = false;
const _errs230 = errors;
if(!((typeof data104 == "number") && (!(data104 % 1) && !isNaN(data104)))){
const err223 = {instancePath:instancePath+"/status/inForce/gates/maxUnhealthyNodes",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/maxUnhealthyNodes/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err223];
}
else {
vErrors.push(err223);
}
errors++;
}
var _valid5 = _errs230 === errors;
valid49 = valid49 || _valid5;
if(!valid49){
const _errs232 = errors;
if(typeof data104 !== "string"){
const err224 = {instancePath:instancePath+"/status/inForce/gates/maxUnhealthyNodes",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/maxUnhealthyNodes/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err224];
}
else {
vErrors.push(err224);
}
errors++;
}
var _valid5 = _errs232 === errors;
valid49 = valid49 || _valid5;
}
if(!valid49){
const err225 = {instancePath:instancePath+"/status/inForce/gates/maxUnhealthyNodes",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/maxUnhealthyNodes/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err225];
}
else {
vErrors.push(err225);
}
errors++;
}
else {
errors = _errs229;
if(vErrors !== null){
if(_errs229){
vErrors.length = _errs229;
}
else {
vErrors = null;
}
}
}
if(typeof data104 === "string"){
if(!pattern13.test(data104)){
const err226 = {instancePath:instancePath+"/status/inForce/gates/maxUnhealthyNodes",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/maxUnhealthyNodes/pattern",keyword:"pattern",params:{pattern: "^((100|[0-9]{1,2})%|[0-9]+)$"},message:"must match pattern \""+"^((100|[0-9]{1,2})%|[0-9]+)$"+"\""};
if(vErrors === null){
vErrors = [err226];
}
else {
vErrors.push(err226);
}
errors++;
}
}
}
if(data101.podsHealthy !== undefined){
if(typeof data101.podsHealthy !== "boolean"){
const err227 = {instancePath:instancePath+"/status/inForce/gates/podsHealthy",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/podsHealthy/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err227];
}
else {
vErrors.push(err227);
}
errors++;
}
}
if(data101.podReadyTimeout !== undefined){
let data106 = data101.podReadyTimeout;
if(typeof data106 === "string"){
if(data106.length > 32){
const err228 = {instancePath:instancePath+"/status/inForce/gates/podReadyTimeout",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/podReadyTimeout/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err228];
}
else {
vErrors.push(err228);
}
errors++;
}
if(!pattern11.test(data106)){
const err229 = {instancePath:instancePath+"/status/inForce/gates/podReadyTimeout",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/podReadyTimeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err229];
}
else {
vErrors.push(err229);
}
errors++;
}
}
else {
const err230 = {instancePath:instancePath+"/status/inForce/gates/podReadyTimeout",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/podReadyTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err230];
}
else {
vErrors.push(err230);
}
errors++;
}
}
if(data101.nodeConditions !== undefined){
let data107 = data101.nodeConditions;
if(Array.isArray(data107)){
if(data107.length > 20){
const err231 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/maxItems",keyword:"maxItems",params:{limit: 20},message:"must NOT have more than 20 items"};
if(vErrors === null){
vErrors = [err231];
}
else {
vErrors.push(err231);
}
errors++;
}
const len13 = data107.length;
for(let i13=0; i13<len13; i13++){
let data108 = data107[i13];
if(data108 && typeof data108 == "object" && !Array.isArray(data108)){
if(data108.type === undefined){
const err232 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions/" + i13,schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err232];
}
else {
vErrors.push(err232);
}
errors++;
}
if(data108.type !== undefined){
let data109 = data108.type;
if(typeof data109 === "string"){
if(data109.length > 316){
const err233 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions/" + i13+"/type",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err233];
}
else {
vErrors.push(err233);
}
errors++;
}
if(data109.length < 1){
const err234 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions/" + i13+"/type",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/items/properties/type/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err234];
}
else {
vErrors.push(err234);
}
errors++;
}
}
else {
const err235 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions/" + i13+"/type",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err235];
}
else {
vErrors.push(err235);
}
errors++;
}
}
if(data108.status !== undefined){
let data110 = data108.status;
if(typeof data110 !== "string"){
const err236 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions/" + i13+"/status",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err236];
}
else {
vErrors.push(err236);
}
errors++;
}
if(!((data110 === "True") || (data110 === "False"))){
const err237 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions/" + i13+"/status",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema13.properties.status.properties.inForce.properties.gates.properties.nodeConditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err237];
}
else {
vErrors.push(err237);
}
errors++;
}
}
}
else {
const err238 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions/" + i13,schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err238];
}
else {
vErrors.push(err238);
}
errors++;
}
}
}
else {
const err239 = {instancePath:instancePath+"/status/inForce/gates/nodeConditions",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/nodeConditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err239];
}
else {
vErrors.push(err239);
}
errors++;
}
}
if(data101.prometheus !== undefined){
let data111 = data101.prometheus;
if(data111 && typeof data111 == "object" && !Array.isArray(data111)){
if(data111.address === undefined){
const err240 = {instancePath:instancePath+"/status/inForce/gates/prometheus",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/required",keyword:"required",params:{missingProperty: "address"},message:"must have required property '"+"address"+"'"};
if(vErrors === null){
vErrors = [err240];
}
else {
vErrors.push(err240);
}
errors++;
}
if(data111.query === undefined){
const err241 = {instancePath:instancePath+"/status/inForce/gates/prometheus",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/required",keyword:"required",params:{missingProperty: "query"},message:"must have required property '"+"query"+"'"};
if(vErrors === null){
vErrors = [err241];
}
else {
vErrors.push(err241);
}
errors++;
}
if(data111.operator === undefined){
const err242 = {instancePath:instancePath+"/status/inForce/gates/prometheus",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err242];
}
else {
vErrors.push(err242);
}
errors++;
}
if(data111.threshold === undefined){
const err243 = {instancePath:instancePath+"/status/inForce/gates/prometheus",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/required",keyword:"required",params:{missingProperty: "threshold"},message:"must have required property '"+"threshold"+"'"};
if(vErrors === null){
vErrors = [err243];
}
else {
vErrors.push(err243);
}
errors++;
}
if(data111.address !== undefined){
let data112 = data111.address;
if(typeof data112 === "string"){
if(data112.length > 1024){
const err244 = {instancePath:instancePath+"/status/inForce/gates/prometheus/address",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/address/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err244];
}
else {
vErrors.push(err244);
}
errors++;
}
if(data112.length < 1){
const err245 = {instancePath:instancePath+"/status/inForce/gates/prometheus/address",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/address/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err245];
}
else {
vErrors.push(err245);
}
errors++;
}
if(!pattern16.test(data112)){
const err246 = {instancePath:instancePath+"/status/inForce/gates/prometheus/address",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/address/pattern",keyword:"pattern",params:{pattern: "^https?://[^\\s]+$"},message:"must match pattern \""+"^https?://[^\\s]+$"+"\""};
if(vErrors === null){
vErrors = [err246];
}
else {
vErrors.push(err246);
}
errors++;
}
}
else {
const err247 = {instancePath:instancePath+"/status/inForce/gates/prometheus/address",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/address/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err247];
}
else {
vErrors.push(err247);
}
errors++;
}
}
if(data111.query !== undefined){
let data113 = data111.query;
if(typeof data113 === "string"){
if(data113.length > 4096){
const err248 = {instancePath:instancePath+"/status/inForce/gates/prometheus/query",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/query/maxLength",keyword:"maxLength",params:{limit: 4096},message:"must NOT have more than 4096 characters"};
if(vErrors === null){
vErrors = [err248];
}
else {
vErrors.push(err248);
}
errors++;
}
if(data113.length < 1){
const err249 = {instancePath:instancePath+"/status/inForce/gates/prometheus/query",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/query/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err249];
}
else {
vErrors.push(err249);
}
errors++;
}
}
else {
const err250 = {instancePath:instancePath+"/status/inForce/gates/prometheus/query",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/query/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err250];
}
else {
vErrors.push(err250);
}
errors++;
}
}
if(data111.operator !== undefined){
let data114 = data111.operator;
if(typeof data114 !== "string"){
const err251 = {instancePath:instancePath+"/status/inForce/gates/prometheus/operator",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err251];
}
else {
vErrors.push(err251);
}
errors++;
}
if(!((((data114 === "LessThan") || (data114 === "LessThanOrEqual")) || (data114 === "GreaterThan")) || (data114 === "GreaterThanOrEqual"))){
const err252 = {instancePath:instancePath+"/status/inForce/gates/prometheus/operator",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/operator/enum",keyword:"enum",params:{allowedValues: schema13.properties.status.properties.inForce.properties.gates.properties.prometheus.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err252];
}
else {
vErrors.push(err252);
}
errors++;
}
}
if(data111.threshold !== undefined){
let data115 = data111.threshold;
if(typeof data115 === "string"){
if(data115.length > 32){
const err253 = {instancePath:instancePath+"/status/inForce/gates/prometheus/threshold",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/threshold/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err253];
}
else {
vErrors.push(err253);
}
errors++;
}
if(!pattern17.test(data115)){
const err254 = {instancePath:instancePath+"/status/inForce/gates/prometheus/threshold",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/threshold/pattern",keyword:"pattern",params:{pattern: "^-?[0-9]+(\\.[0-9]+)?$"},message:"must match pattern \""+"^-?[0-9]+(\\.[0-9]+)?$"+"\""};
if(vErrors === null){
vErrors = [err254];
}
else {
vErrors.push(err254);
}
errors++;
}
}
else {
const err255 = {instancePath:instancePath+"/status/inForce/gates/prometheus/threshold",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/threshold/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err255];
}
else {
vErrors.push(err255);
}
errors++;
}
}
if(data111.for !== undefined){
let data116 = data111.for;
if(typeof data116 === "string"){
if(data116.length > 32){
const err256 = {instancePath:instancePath+"/status/inForce/gates/prometheus/for",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/for/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err256];
}
else {
vErrors.push(err256);
}
errors++;
}
if(!pattern11.test(data116)){
const err257 = {instancePath:instancePath+"/status/inForce/gates/prometheus/for",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/for/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err257];
}
else {
vErrors.push(err257);
}
errors++;
}
}
else {
const err258 = {instancePath:instancePath+"/status/inForce/gates/prometheus/for",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/properties/for/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err258];
}
else {
vErrors.push(err258);
}
errors++;
}
}
}
else {
const err259 = {instancePath:instancePath+"/status/inForce/gates/prometheus",schemaPath:"#/properties/status/properties/inForce/properties/gates/properties/prometheus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err259];
}
else {
vErrors.push(err259);
}
errors++;
}
}
}
else {
const err260 = {instancePath:instancePath+"/status/inForce/gates",schemaPath:"#/properties/status/properties/inForce/properties/gates/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err260];
}
else {
vErrors.push(err260);
}
errors++;
}
}
if(data95.onFailure !== undefined){
let data117 = data95.onFailure;
if(typeof data117 !== "string"){
const err261 = {instancePath:instancePath+"/status/inForce/onFailure",schemaPath:"#/properties/status/properties/inForce/properties/onFailure/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err261];
}
else {
vErrors.push(err261);
}
errors++;
}
if(!((data117 === "Halt") || (data117 === "Rollback"))){
const err262 = {instancePath:instancePath+"/status/inForce/onFailure",schemaPath:"#/properties/status/properties/inForce/properties/onFailure/enum",keyword:"enum",params:{allowedValues: schema13.properties.status.properties.inForce.properties.onFailure.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err262];
}
else {
vErrors.push(err262);
}
errors++;
}
}
}
else {
const err263 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err263];
}
else {
vErrors.push(err263);
}
errors++;
}
}
if(data65.rate !== undefined){
let data118 = data65.rate;
if(data118 && typeof data118 == "object" && !Array.isArray(data118)){
if(data118.time === undefined){
const err264 = {instancePath:instancePath+"/status/rate",schemaPath:"#/properties/status/properties/rate/required",keyword:"required",params:{missingProperty: "time"},message:"must have required property '"+"time"+"'"};
if(vErrors === null){
vErrors = [err264];
}
else {
vErrors.push(err264);
}
errors++;
}
if(data118.tokens === undefined){
const err265 = {instancePath:instancePath+"/status/rate",schemaPath:"#/properties/status/properties/rate/required",keyword:"required",params:{missingProperty: "tokens"},message:"must have required property '"+"tokens"+"'"};
if(vErrors === null){
vErrors = [err265];
}
else {
vErrors.push(err265);
}
errors++;
}
if(data118.tokens !== undefined){
if(typeof data118.tokens !== "string"){
const err266 = {instancePath:instancePath+"/status/rate/tokens",schemaPath:"#/properties/status/properties/rate/properties/tokens/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err266];
}
else {
vErrors.push(err266);
}
errors++;
}
}
if(data118.time !== undefined){
if(typeof data118.time !== "string"){
const err267 = {instancePath:instancePath+"/status/rate/time",schemaPath:"#/properties/status/properties/rate/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err267];
}
else {
vErrors.push(err267);
}
errors++;
}
}
if(data118.paid !== undefined){
let data121 = data118.paid;
if(Array.isArray(data121)){
if(data121.length > 10000){
const err268 = {instancePath:instancePath+"/status/rate/paid",schemaPath:"#/properties/status/properties/rate/properties/paid/maxItems",keyword:"maxItems",params:{limit: 10000},message:"must NOT have more than 10000 items"};
if(vErrors === null){
vErrors = [err268];
}
else {
vErrors.push(err268);
}
errors++;
}
const len14 = data121.length;
for(let i14=0; i14<len14; i14++){
if(typeof data121[i14] !== "string"){
const err269 = {instancePath:instancePath+"/status/rate/paid/" + i14,schemaPath:"#/properties/status/properties/rate/properties/paid/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err269];
}
else {
vErrors.push(err269);
}
errors++;
}
}
}
else {
const err270 = {instancePath:instancePath+"/status/rate/paid",schemaPath:"#/properties/status/properties/rate/properties/paid/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err270];
}
else {
vErrors.push(err270);
}
errors++;
}
}
}
else {
const err271 = {instancePath:instancePath+"/status/rate",schemaPath:"#/properties/status/properties/rate/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err271];
}
else {
vErrors.push(err271);
}
errors++;
}
}
if(data65.pending !== undefined){
let data123 = data65.pending;
if(Array.isArray(data123)){
if(data123.length > 1000){
const err272 = {instancePath:instancePath+"/status/pending",schemaPath:"#/properties/status/properties/pending/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err272];
}
else {
vErrors.push(err272);
}
errors++;
}
const len15 = data123.length;
for(let i15=0; i15<len15; i15++){
let data124 = data123[i15];
if(data124 && typeof data124 == "object" && !Array.isArray(data124)){
if(data124.name === undefined){
const err273 = {instancePath:instancePath+"/status/pending/" + i15,schemaPath:"#/properties/status/properties/pending/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err273];
}
else {
vErrors.push(err273);
}
errors++;
}
if(data124.since === undefined){
const err274 = {instancePath:instancePath+"/status/pending/" + i15,schemaPath:"#/properties/status/properties/pending/items/required",keyword:"required",params:{missingProperty: "since"},message:"must have required property '"+"since"+"'"};
if(vErrors === null){
vErrors = [err274];
}
else {
vErrors.push(err274);
}
errors++;
}
if(data124.name !== undefined){
if(typeof data124.name !== "string"){
const err275 = {instancePath:instancePath+"/status/pending/" + i15+"/name",schemaPath:"#/properties/status/properties/pending/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err275];
}
else {
vErrors.push(err275);
}
errors++;
}
}
if(data124.since !== undefined){
if(typeof data124.since !== "string"){
const err276 = {instancePath:instancePath+"/status/pending/" + i15+"/since",schemaPath:"#/properties/status/properties/pending/items/properties/since/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err276];
}
else {
vErrors.push(err276);
}
errors++;
}
}
if(data124.launched !== undefined){
if(typeof data124.launched !== "boolean"){
const err277 = {instancePath:instancePath+"/status/pending/" + i15+"/launched",schemaPath:"#/properties/status/properties/pending/items/properties/launched/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err277];
}
else {
vErrors.push(err277);
}
errors++;
}
}
if(data124.failed !== undefined){
if(typeof data124.failed !== "boolean"){
const err278 = {instancePath:instancePath+"/status/pending/" + i15+"/failed",schemaPath:"#/properties/status/properties/pending/items/properties/failed/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err278];
}
else {
vErrors.push(err278);
}
errors++;
}
}
if(data124.nodeClass !== undefined){
let data129 = data124.nodeClass;
if(typeof data129 === "string"){
if(data129.length > 253){
const err279 = {instancePath:instancePath+"/status/pending/" + i15+"/nodeClass",schemaPath:"#/properties/status/properties/pending/items/properties/nodeClass/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err279];
}
else {
vErrors.push(err279);
}
errors++;
}
}
else {
const err280 = {instancePath:instancePath+"/status/pending/" + i15+"/nodeClass",schemaPath:"#/properties/status/properties/pending/items/properties/nodeClass/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err280];
}
else {
vErrors.push(err280);
}
errors++;
}
}
}
else {
const err281 = {instancePath:instancePath+"/status/pending/" + i15,schemaPath:"#/properties/status/properties/pending/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err281];
}
else {
vErrors.push(err281);
}
errors++;
}
}
}
else {
const err282 = {instancePath:instancePath+"/status/pending",schemaPath:"#/properties/status/properties/pending/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err282];
}
else {
vErrors.push(err282);
}
errors++;
}
}
if(data65.badSince !== undefined){
if(typeof data65.badSince !== "string"){
const err283 = {instancePath:instancePath+"/status/badSince",schemaPath:"#/properties/status/properties/badSince/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err283];
}
else {
vErrors.push(err283);
}
errors++;
}
}
if(data65.failure !== undefined){
let data131 = data65.failure;
if(data131 && typeof data131 == "object" && !Array.isArray(data131)){
if(data131.reason === undefined){
const err284 = {instancePath:instancePath+"/status/failure",schemaPath:"#/properties/status/properties/failure/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err284];
}
else {
vErrors.push(err284);
}
errors++;
}
if(data131.message === undefined){
const err285 = {instancePath:instancePath+"/status/failure",schemaPath:"#/properties/status/properties/failure/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err285];
}
else {
vErrors.push(err285);
}
errors++;
}
if(data131.time === undefined){
const err286 = {instancePath:instancePath+"/status/failure",schemaPath:"#/properties/status/properties/failure/required",keyword:"required",params:{missingProperty: "time"},message:"must have required property '"+"time"+"'"};
if(vErrors === null){
vErrors = [err286];
}
else {
vErrors.push(err286);
}
errors++;
}
if(data131.state === undefined){
const err287 = {instancePath:instancePath+"/status/failure",schemaPath:"#/properties/status/properties/failure/required",keyword:"required",params:{missingProperty: "state"},message:"must have required property '"+"state"+"'"};
if(vErrors === null){
vErrors = [err287];
}
else {
vErrors.push(err287);
}
errors++;
}
if(data131.reason !== undefined){
if(typeof data131.reason !== "string"){
const err288 = {instancePath:instancePath+"/status/failure/reason",schemaPath:"#/properties/status/properties/failure/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err288];
}
else {
vErrors.push(err288);
}
errors++;
}
}
if(data131.message !== undefined){
let data133 = data131.message;
if(typeof data133 === "string"){
if(data133.length > 32768){
const err289 = {instancePath:instancePath+"/status/failure/message",schemaPath:"#/properties/status/properties/failure/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err289];
}
else {
vErrors.push(err289);
}
errors++;
}
}
else {
const err290 = {instancePath:instancePath+"/status/failure/message",schemaPath:"#/properties/status/properties/failure/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err290];
}
else {
vErrors.push(err290);
}
errors++;
}
}
if(data131.time !== undefined){
if(typeof data131.time !== "string"){
const err291 = {instancePath:instancePath+"/status/failure/time",schemaPath:"#/properties/status/properties/failure/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err291];
}
else {
vErrors.push(err291);
}
errors++;
}
}
if(data131.generation !== undefined){
let data135 = data131.generation;
if(!((typeof data135 == "number") && (!(data135 % 1) && !isNaN(data135)))){
const err292 = {instancePath:instancePath+"/status/failure/generation",schemaPath:"#/properties/status/properties/failure/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err292];
}
else {
vErrors.push(err292);
}
errors++;
}
}
if(data131.state !== undefined){
let data136 = data131.state;
if(typeof data136 !== "string"){
const err293 = {instancePath:instancePath+"/status/failure/state",schemaPath:"#/properties/status/properties/failure/properties/state/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err293];
}
else {
vErrors.push(err293);
}
errors++;
}
if(!(((data136 === "Halted") || (data136 === "RollingBack")) || (data136 === "RolledBack"))){
const err294 = {instancePath:instancePath+"/status/failure/state",schemaPath:"#/properties/status/properties/failure/properties/state/enum",keyword:"enum",params:{allowedValues: schema13.properties.status.properties.failure.properties.state.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err294];
}
else {
vErrors.push(err294);
}
errors++;
}
}
if(data131.targets !== undefined){
let data137 = data131.targets;
if(Array.isArray(data137)){
if(data137.length > 1000){
const err295 = {instancePath:instancePath+"/status/failure/targets",schemaPath:"#/properties/status/properties/failure/properties/targets/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err295];
}
else {
vErrors.push(err295);
}
errors++;
}
const len16 = data137.length;
for(let i16=0; i16<len16; i16++){
let data138 = data137[i16];
if(data138 && typeof data138 == "object" && !Array.isArray(data138)){
if(data138.name === undefined){
const err296 = {instancePath:instancePath+"/status/failure/targets/" + i16,schemaPath:"#/properties/status/properties/failure/properties/targets/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err296];
}
else {
vErrors.push(err296);
}
errors++;
}
if(data138.target === undefined){
const err297 = {instancePath:instancePath+"/status/failure/targets/" + i16,schemaPath:"#/properties/status/properties/failure/properties/targets/items/required",keyword:"required",params:{missingProperty: "target"},message:"must have required property '"+"target"+"'"};
if(vErrors === null){
vErrors = [err297];
}
else {
vErrors.push(err297);
}
errors++;
}
if(data138.name !== undefined){
if(typeof data138.name !== "string"){
const err298 = {instancePath:instancePath+"/status/failure/targets/" + i16+"/name",schemaPath:"#/properties/status/properties/failure/properties/targets/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err298];
}
else {
vErrors.push(err298);
}
errors++;
}
}
if(data138.target !== undefined){
if(typeof data138.target !== "string"){
const err299 = {instancePath:instancePath+"/status/failure/targets/" + i16+"/target",schemaPath:"#/properties/status/properties/failure/properties/targets/items/properties/target/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err299];
}
else {
vErrors.push(err299);
}
errors++;
}
}
}
else {
const err300 = {instancePath:instancePath+"/status/failure/targets/" + i16,schemaPath:"#/properties/status/properties/failure/properties/targets/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err300];
}
else {
vErrors.push(err300);
}
errors++;
}
}
}
else {
const err301 = {instancePath:instancePath+"/status/failure/targets",schemaPath:"#/properties/status/properties/failure/properties/targets/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err301];
}
else {
vErrors.push(err301);
}
errors++;
}
}
if(data131.nodeClasses !== undefined){
let data141 = data131.nodeClasses;
if(Array.isArray(data141)){
if(data141.length > 1000){
const err302 = {instancePath:instancePath+"/status/failure/nodeClasses",schemaPath:"#/properties/status/properties/failure/properties/nodeClasses/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err302];
}
else {
vErrors.push(err302);
}
errors++;
}
const len17 = data141.length;
for(let i17=0; i17<len17; i17++){
if(typeof data141[i17] !== "string"){
const err303 = {instancePath:instancePath+"/status/failure/nodeClasses/" + i17,schemaPath:"#/properties/status/properties/failure/properties/nodeClasses/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err303];
}
else {
vErrors.push(err303);
}
errors++;
}
}
}
else {
const err304 = {instancePath:instancePath+"/status/failure/nodeClasses",schemaPath:"#/properties/status/properties/failure/properties/nodeClasses/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err304];
}
else {
vErrors.push(err304);
}
errors++;
}
}
}
else {
const err305 = {instancePath:instancePath+"/status/failure",schemaPath:"#/properties/status/properties/failure/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err305];
}
else {
vErrors.push(err305);
}
errors++;
}
}
if(data65.approvals !== undefined){
let data143 = data65.approvals;
if(Array.isArray(data143)){
if(data143.length > 1000){
const err306 = {instancePath:instancePath+"/status/approvals",schemaPath:"#/properties/status/properties/approvals/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err306];
}
else {
vErrors.push(err306);
}
errors++;
}
const len18 = data143.length;
for(let i18=0; i18<len18; i18++){
let data144 = data143[i18];
if(data144 && typeof data144 == "object" && !Array.isArray(data144)){
if(data144.kind === undefined){
const err307 = {instancePath:instancePath+"/status/approvals/" + i18,schemaPath:"#/properties/status/properties/approvals/items/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err307];
}
else {
vErrors.push(err307);
}
errors++;
}
if(data144.name === undefined){
const err308 = {instancePath:instancePath+"/status/approvals/" + i18,schemaPath:"#/properties/status/properties/approvals/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err308];
}
else {
vErrors.push(err308);
}
errors++;
}
if(data144.target === undefined){
const err309 = {instancePath:instancePath+"/status/approvals/" + i18,schemaPath:"#/properties/status/properties/approvals/items/required",keyword:"required",params:{missingProperty: "target"},message:"must have required property '"+"target"+"'"};
if(vErrors === null){
vErrors = [err309];
}
else {
vErrors.push(err309);
}
errors++;
}
if(data144.kind !== undefined){
if(typeof data144.kind !== "string"){
const err310 = {instancePath:instancePath+"/status/approvals/" + i18+"/kind",schemaPath:"#/properties/status/properties/approvals/items/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err310];
}
else {
vErrors.push(err310);
}
errors++;
}
}
if(data144.name !== undefined){
if(typeof data144.name !== "string"){
const err311 = {instancePath:instancePath+"/status/approvals/" + i18+"/name",schemaPath:"#/properties/status/properties/approvals/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err311];
}
else {
vErrors.push(err311);
}
errors++;
}
}
if(data144.target !== undefined){
if(typeof data144.target !== "string"){
const err312 = {instancePath:instancePath+"/status/approvals/" + i18+"/target",schemaPath:"#/properties/status/properties/approvals/items/properties/target/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err312];
}
else {
vErrors.push(err312);
}
errors++;
}
}
if(data144.time !== undefined){
if(typeof data144.time !== "string"){
const err313 = {instancePath:instancePath+"/status/approvals/" + i18+"/time",schemaPath:"#/properties/status/properties/approvals/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err313];
}
else {
vErrors.push(err313);
}
errors++;
}
}
if(data144.fieldManager !== undefined){
if(typeof data144.fieldManager !== "string"){
const err314 = {instancePath:instancePath+"/status/approvals/" + i18+"/fieldManager",schemaPath:"#/properties/status/properties/approvals/items/properties/fieldManager/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err314];
}
else {
vErrors.push(err314);
}
errors++;
}
}
if(data144.user !== undefined){
let data150 = data144.user;
if(typeof data150 === "string"){
if(data150.length > 1024){
const err315 = {instancePath:instancePath+"/status/approvals/" + i18+"/user",schemaPath:"#/properties/status/properties/approvals/items/properties/user/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err315];
}
else {
vErrors.push(err315);
}
errors++;
}
}
else {
const err316 = {instancePath:instancePath+"/status/approvals/" + i18+"/user",schemaPath:"#/properties/status/properties/approvals/items/properties/user/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err316];
}
else {
vErrors.push(err316);
}
errors++;
}
}
}
else {
const err317 = {instancePath:instancePath+"/status/approvals/" + i18,schemaPath:"#/properties/status/properties/approvals/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err317];
}
else {
vErrors.push(err317);
}
errors++;
}
}
}
else {
const err318 = {instancePath:instancePath+"/status/approvals",schemaPath:"#/properties/status/properties/approvals/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err318];
}
else {
vErrors.push(err318);
}
errors++;
}
}
if(data65.nodePools !== undefined){
let data151 = data65.nodePools;
if(Array.isArray(data151)){
if(data151.length > 1000){
const err319 = {instancePath:instancePath+"/status/nodePools",schemaPath:"#/properties/status/properties/nodePools/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err319];
}
else {
vErrors.push(err319);
}
errors++;
}
const len19 = data151.length;
for(let i19=0; i19<len19; i19++){
let data152 = data151[i19];
if(data152 && typeof data152 == "object" && !Array.isArray(data152)){
if(data152.name === undefined){
const err320 = {instancePath:instancePath+"/status/nodePools/" + i19,schemaPath:"#/properties/status/properties/nodePools/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err320];
}
else {
vErrors.push(err320);
}
errors++;
}
if(data152.name !== undefined){
if(typeof data152.name !== "string"){
const err321 = {instancePath:instancePath+"/status/nodePools/" + i19+"/name",schemaPath:"#/properties/status/properties/nodePools/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err321];
}
else {
vErrors.push(err321);
}
errors++;
}
}
if(data152.currentHash !== undefined){
if(typeof data152.currentHash !== "string"){
const err322 = {instancePath:instancePath+"/status/nodePools/" + i19+"/currentHash",schemaPath:"#/properties/status/properties/nodePools/items/properties/currentHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err322];
}
else {
vErrors.push(err322);
}
errors++;
}
}
if(data152.targetHash !== undefined){
if(typeof data152.targetHash !== "string"){
const err323 = {instancePath:instancePath+"/status/nodePools/" + i19+"/targetHash",schemaPath:"#/properties/status/properties/nodePools/items/properties/targetHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err323];
}
else {
vErrors.push(err323);
}
errors++;
}
}
if(data152.totalNodes !== undefined){
let data156 = data152.totalNodes;
if(!((typeof data156 == "number") && (!(data156 % 1) && !isNaN(data156)))){
const err324 = {instancePath:instancePath+"/status/nodePools/" + i19+"/totalNodes",schemaPath:"#/properties/status/properties/nodePools/items/properties/totalNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err324];
}
else {
vErrors.push(err324);
}
errors++;
}
}
if(data152.updatedNodes !== undefined){
let data157 = data152.updatedNodes;
if(!((typeof data157 == "number") && (!(data157 % 1) && !isNaN(data157)))){
const err325 = {instancePath:instancePath+"/status/nodePools/" + i19+"/updatedNodes",schemaPath:"#/properties/status/properties/nodePools/items/properties/updatedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err325];
}
else {
vErrors.push(err325);
}
errors++;
}
}
if(data152.blockedNodes !== undefined){
let data158 = data152.blockedNodes;
if(!((typeof data158 == "number") && (!(data158 % 1) && !isNaN(data158)))){
const err326 = {instancePath:instancePath+"/status/nodePools/" + i19+"/blockedNodes",schemaPath:"#/properties/status/properties/nodePools/items/properties/blockedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err326];
}
else {
vErrors.push(err326);
}
errors++;
}
}
if(data152.phase !== undefined){
if(typeof data152.phase !== "string"){
const err327 = {instancePath:instancePath+"/status/nodePools/" + i19+"/phase",schemaPath:"#/properties/status/properties/nodePools/items/properties/phase/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err327];
}
else {
vErrors.push(err327);
}
errors++;
}
}
if(data152.governedBy !== undefined){
if(typeof data152.governedBy !== "string"){
const err328 = {instancePath:instancePath+"/status/nodePools/" + i19+"/governedBy",schemaPath:"#/properties/status/properties/nodePools/items/properties/governedBy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err328];
}
else {
vErrors.push(err328);
}
errors++;
}
}
if(data152.approved !== undefined){
if(typeof data152.approved !== "boolean"){
const err329 = {instancePath:instancePath+"/status/nodePools/" + i19+"/approved",schemaPath:"#/properties/status/properties/nodePools/items/properties/approved/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err329];
}
else {
vErrors.push(err329);
}
errors++;
}
}
if(data152.startNodes !== undefined){
let data162 = data152.startNodes;
if(!((typeof data162 == "number") && (!(data162 % 1) && !isNaN(data162)))){
const err330 = {instancePath:instancePath+"/status/nodePools/" + i19+"/startNodes",schemaPath:"#/properties/status/properties/nodePools/items/properties/startNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err330];
}
else {
vErrors.push(err330);
}
errors++;
}
}
}
else {
const err331 = {instancePath:instancePath+"/status/nodePools/" + i19,schemaPath:"#/properties/status/properties/nodePools/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err331];
}
else {
vErrors.push(err331);
}
errors++;
}
}
}
else {
const err332 = {instancePath:instancePath+"/status/nodePools",schemaPath:"#/properties/status/properties/nodePools/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err332];
}
else {
vErrors.push(err332);
}
errors++;
}
}
if(data65.history !== undefined){
let data163 = data65.history;
if(Array.isArray(data163)){
if(data163.length > 50){
const err333 = {instancePath:instancePath+"/status/history",schemaPath:"#/properties/status/properties/history/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err333];
}
else {
vErrors.push(err333);
}
errors++;
}
const len20 = data163.length;
for(let i20=0; i20<len20; i20++){
let data164 = data163[i20];
if(data164 && typeof data164 == "object" && !Array.isArray(data164)){
if(data164.outcome === undefined){
const err334 = {instancePath:instancePath+"/status/history/" + i20,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "outcome"},message:"must have required property '"+"outcome"+"'"};
if(vErrors === null){
vErrors = [err334];
}
else {
vErrors.push(err334);
}
errors++;
}
if(data164.revision === undefined){
const err335 = {instancePath:instancePath+"/status/history/" + i20,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "revision"},message:"must have required property '"+"revision"+"'"};
if(vErrors === null){
vErrors = [err335];
}
else {
vErrors.push(err335);
}
errors++;
}
if(data164.revision !== undefined){
if(typeof data164.revision !== "string"){
const err336 = {instancePath:instancePath+"/status/history/" + i20+"/revision",schemaPath:"#/properties/status/properties/history/items/properties/revision/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err336];
}
else {
vErrors.push(err336);
}
errors++;
}
}
if(data164.outcome !== undefined){
let data166 = data164.outcome;
if(typeof data166 !== "string"){
const err337 = {instancePath:instancePath+"/status/history/" + i20+"/outcome",schemaPath:"#/properties/status/properties/history/items/properties/outcome/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err337];
}
else {
vErrors.push(err337);
}
errors++;
}
if(!((((data166 === "Completed") || (data166 === "Halted")) || (data166 === "RolledBack")) || (data166 === "Superseded"))){
const err338 = {instancePath:instancePath+"/status/history/" + i20+"/outcome",schemaPath:"#/properties/status/properties/history/items/properties/outcome/enum",keyword:"enum",params:{allowedValues: schema13.properties.status.properties.history.items.properties.outcome.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err338];
}
else {
vErrors.push(err338);
}
errors++;
}
}
if(data164.message !== undefined){
let data167 = data164.message;
if(typeof data167 === "string"){
if(data167.length > 32768){
const err339 = {instancePath:instancePath+"/status/history/" + i20+"/message",schemaPath:"#/properties/status/properties/history/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err339];
}
else {
vErrors.push(err339);
}
errors++;
}
}
else {
const err340 = {instancePath:instancePath+"/status/history/" + i20+"/message",schemaPath:"#/properties/status/properties/history/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err340];
}
else {
vErrors.push(err340);
}
errors++;
}
}
if(data164.totalNodes !== undefined){
let data168 = data164.totalNodes;
if(!((typeof data168 == "number") && (!(data168 % 1) && !isNaN(data168)))){
const err341 = {instancePath:instancePath+"/status/history/" + i20+"/totalNodes",schemaPath:"#/properties/status/properties/history/items/properties/totalNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err341];
}
else {
vErrors.push(err341);
}
errors++;
}
}
if(data164.updatedNodes !== undefined){
let data169 = data164.updatedNodes;
if(!((typeof data169 == "number") && (!(data169 % 1) && !isNaN(data169)))){
const err342 = {instancePath:instancePath+"/status/history/" + i20+"/updatedNodes",schemaPath:"#/properties/status/properties/history/items/properties/updatedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err342];
}
else {
vErrors.push(err342);
}
errors++;
}
}
if(data164.startTime !== undefined){
if(typeof data164.startTime !== "string"){
const err343 = {instancePath:instancePath+"/status/history/" + i20+"/startTime",schemaPath:"#/properties/status/properties/history/items/properties/startTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err343];
}
else {
vErrors.push(err343);
}
errors++;
}
}
if(data164.completionTime !== undefined){
if(typeof data164.completionTime !== "string"){
const err344 = {instancePath:instancePath+"/status/history/" + i20+"/completionTime",schemaPath:"#/properties/status/properties/history/items/properties/completionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err344];
}
else {
vErrors.push(err344);
}
errors++;
}
}
if(data164.number !== undefined){
let data172 = data164.number;
if(!((typeof data172 == "number") && (!(data172 % 1) && !isNaN(data172)))){
const err345 = {instancePath:instancePath+"/status/history/" + i20+"/number",schemaPath:"#/properties/status/properties/history/items/properties/number/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err345];
}
else {
vErrors.push(err345);
}
errors++;
}
}
if(data164.images !== undefined){
let data173 = data164.images;
if(Array.isArray(data173)){
if(data173.length > 100){
const err346 = {instancePath:instancePath+"/status/history/" + i20+"/images",schemaPath:"#/properties/status/properties/history/items/properties/images/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err346];
}
else {
vErrors.push(err346);
}
errors++;
}
const len21 = data173.length;
for(let i21=0; i21<len21; i21++){
if(typeof data173[i21] !== "string"){
const err347 = {instancePath:instancePath+"/status/history/" + i20+"/images/" + i21,schemaPath:"#/properties/status/properties/history/items/properties/images/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err347];
}
else {
vErrors.push(err347);
}
errors++;
}
}
}
else {
const err348 = {instancePath:instancePath+"/status/history/" + i20+"/images",schemaPath:"#/properties/status/properties/history/items/properties/images/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err348];
}
else {
vErrors.push(err348);
}
errors++;
}
}
}
else {
const err349 = {instancePath:instancePath+"/status/history/" + i20,schemaPath:"#/properties/status/properties/history/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err349];
}
else {
vErrors.push(err349);
}
errors++;
}
}
}
else {
const err350 = {instancePath:instancePath+"/status/history",schemaPath:"#/properties/status/properties/history/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err350];
}
else {
vErrors.push(err350);
}
errors++;
}
}
if(data65.conditions !== undefined){
let data175 = data65.conditions;
if(Array.isArray(data175)){
const len22 = data175.length;
for(let i22=0; i22<len22; i22++){
let data176 = data175[i22];
if(data176 && typeof data176 == "object" && !Array.isArray(data176)){
if(data176.lastTransitionTime === undefined){
const err351 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err351];
}
else {
vErrors.push(err351);
}
errors++;
}
if(data176.message === undefined){
const err352 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err352];
}
else {
vErrors.push(err352);
}
errors++;
}
if(data176.reason === undefined){
const err353 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err353];
}
else {
vErrors.push(err353);
}
errors++;
}
if(data176.status === undefined){
const err354 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err354];
}
else {
vErrors.push(err354);
}
errors++;
}
if(data176.type === undefined){
const err355 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err355];
}
else {
vErrors.push(err355);
}
errors++;
}
if(data176.type !== undefined){
let data177 = data176.type;
if(typeof data177 === "string"){
if(data177.length > 316){
const err356 = {instancePath:instancePath+"/status/conditions/" + i22+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err356];
}
else {
vErrors.push(err356);
}
errors++;
}
if(!pattern1.test(data177)){
const err357 = {instancePath:instancePath+"/status/conditions/" + i22+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"+"\""};
if(vErrors === null){
vErrors = [err357];
}
else {
vErrors.push(err357);
}
errors++;
}
}
else {
const err358 = {instancePath:instancePath+"/status/conditions/" + i22+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err358];
}
else {
vErrors.push(err358);
}
errors++;
}
}
if(data176.status !== undefined){
let data178 = data176.status;
if(typeof data178 !== "string"){
const err359 = {instancePath:instancePath+"/status/conditions/" + i22+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err359];
}
else {
vErrors.push(err359);
}
errors++;
}
if(!(((data178 === "True") || (data178 === "False")) || (data178 === "Unknown"))){
const err360 = {instancePath:instancePath+"/status/conditions/" + i22+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema13.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err360];
}
else {
vErrors.push(err360);
}
errors++;
}
}
if(data176.lastTransitionTime !== undefined){
if(typeof data176.lastTransitionTime !== "string"){
const err361 = {instancePath:instancePath+"/status/conditions/" + i22+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err361];
}
else {
vErrors.push(err361);
}
errors++;
}
}
if(data176.observedGeneration !== undefined){
let data180 = data176.observedGeneration;
if(!((typeof data180 == "number") && (!(data180 % 1) && !isNaN(data180)))){
const err362 = {instancePath:instancePath+"/status/conditions/" + i22+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err362];
}
else {
vErrors.push(err362);
}
errors++;
}
if(typeof data180 == "number"){
if(data180 < 0 || isNaN(data180)){
const err363 = {instancePath:instancePath+"/status/conditions/" + i22+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err363];
}
else {
vErrors.push(err363);
}
errors++;
}
}
}
if(data176.reason !== undefined){
let data181 = data176.reason;
if(typeof data181 === "string"){
if(data181.length > 1024){
const err364 = {instancePath:instancePath+"/status/conditions/" + i22+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err364];
}
else {
vErrors.push(err364);
}
errors++;
}
if(data181.length < 1){
const err365 = {instancePath:instancePath+"/status/conditions/" + i22+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err365];
}
else {
vErrors.push(err365);
}
errors++;
}
if(!pattern2.test(data181)){
const err366 = {instancePath:instancePath+"/status/conditions/" + i22+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},message:"must match pattern \""+"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"+"\""};
if(vErrors === null){
vErrors = [err366];
}
else {
vErrors.push(err366);
}
errors++;
}
}
else {
const err367 = {instancePath:instancePath+"/status/conditions/" + i22+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err367];
}
else {
vErrors.push(err367);
}
errors++;
}
}
if(data176.message !== undefined){
let data182 = data176.message;
if(typeof data182 === "string"){
if(data182.length > 32768){
const err368 = {instancePath:instancePath+"/status/conditions/" + i22+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err368];
}
else {
vErrors.push(err368);
}
errors++;
}
}
else {
const err369 = {instancePath:instancePath+"/status/conditions/" + i22+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err369];
}
else {
vErrors.push(err369);
}
errors++;
}
}
}
else {
const err370 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err370];
}
else {
vErrors.push(err370);
}
errors++;
}
}
}
else {
const err371 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err371];
}
else {
vErrors.push(err371);
}
errors++;
}
}
}
else {
const err372 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err372];
}
else {
vErrors.push(err372);
}
errors++;
}
}
}
else {
const err373 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err373];
}
else {
vErrors.push(err373);
}
errors++;
}
validate12.errors = vErrors;
return errors === 0;
}

export const validateEC2NodeClass = validate13;
const schema14 = {"type":"object","properties":{"apiVersion":{"const":"karpenter.k8s.aws/v1"},"kind":{"const":"EC2NodeClass"},"metadata":{"type":"object"},"spec":{"type":"object","required":["amiSelectorTerms","securityGroupSelectorTerms","subnetSelectorTerms"],"properties":{"subnetSelectorTerms":{"type":"array","maxItems":30,"items":{"type":"object","properties":{"tags":{"type":"object","maxProperties":20,"additionalProperties":{"type":"string"}},"id":{"type":"string","pattern":"subnet-[0-9a-z]+"}}}},"securityGroupSelectorTerms":{"type":"array","maxItems":30,"items":{"type":"object","properties":{"tags":{"type":"object","maxProperties":20,"additionalProperties":{"type":"string"}},"id":{"type":"string","pattern":"sg-[0-9a-z]+"},"name":{"type":"string"}}}},"capacityReservationSelectorTerms":{"type":"array","maxItems":30,"items":{"type":"object","properties":{"tags":{"type":"object","maxProperties":20,"additionalProperties":{"type":"string"}},"id":{"type":"string","pattern":"^cr-[0-9a-z]+$"},"ownerID":{"type":"string","pattern":"^[0-9]{12}$"},"instanceMatchCriteria":{"type":"string","enum":["open","targeted"]}}}},"placementGroupSelector":{"type":"object","properties":{"name":{"type":"string","minLength":1},"id":{"type":"string","pattern":"^pg-[0-9a-z]+$"}}},"associatePublicIPAddress":{"type":"boolean"},"ipPrefixCount":{"type":"integer","minimum":0},"amiSelectorTerms":{"type":"array","minItems":1,"maxItems":30,"items":{"type":"object","properties":{"alias":{"type":"string","maxLength":30},"tags":{"type":"object","maxProperties":20,"additionalProperties":{"type":"string"}},"id":{"type":"string","pattern":"ami-[0-9a-z]+"},"name":{"type":"string"},"owner":{"type":"string"},"ssmParameter":{"type":"string"}}}},"amiFamily":{"type":"string","enum":["AL2","AL2023","Bottlerocket","Custom","Windows2019","Windows2022","Windows2025"]},"userData":{"type":"string"},"role":{"type":"string"},"instanceProfile":{"type":"string"},"tags":{"type":"object","additionalProperties":{"type":"string"}},"kubelet":{"type":"object","additionalProperties":{}},"blockDeviceMappings":{"type":"array","maxItems":50,"items":{"type":"object","properties":{"deviceName":{"type":"string"},"rootVolume":{"type":"boolean"},"ebs":{"type":"object","properties":{"deleteOnTermination":{"type":"boolean"},"encrypted":{"type":"boolean"},"iops":{"type":"integer"},"kmsKeyID":{"type":"string"},"snapshotID":{"type":"string"},"throughput":{"type":"integer"},"volumeInitializationRate":{"type":"integer","minimum":100,"maximum":300},"volumeSize":{"type":"string","pattern":"^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$"},"volumeType":{"type":"string","enum":["standard","io1","io2","gp2","sc1","st1","gp3"]}}}}}},"instanceStorePolicy":{"type":"string","enum":["RAID0"]},"networkInterfaces":{"type":"array","maxItems":150,"items":{"type":"object","required":["deviceIndex","interfaceType","networkCardIndex"],"properties":{"networkCardIndex":{"type":"integer","minimum":0},"deviceIndex":{"type":"integer","minimum":0},"interfaceType":{"type":"string","enum":["interface","efa-only"]}}}},"detailedMonitoring":{"type":"boolean"},"metadataOptions":{"type":"object","properties":{"httpEndpoint":{"type":"string","enum":["enabled","disabled"]},"httpProtocolIPv6":{"type":"string","enum":["enabled","disabled"]},"httpPutResponseHopLimit":{"type":"integer","minimum":1,"maximum":64},"httpTokens":{"type":"string","enum":["required","optional"]}}},"connectionTracking":{"type":"object","properties":{"tcpEstablishedTimeout":{"type":"integer","minimum":60,"maximum":432000},"udpStreamTimeout":{"type":"integer","minimum":60,"maximum":180},"udpTimeout":{"type":"integer","minimum":30,"maximum":60}}},"context":{"type":"string"},"cpuOptions":{"type":"object","properties":{"nestedVirtualization":{"type":"string","enum":["enabled","disabled"]}}}}},"status":{"type":"object","properties":{"subnets":{"type":"array","items":{"type":"object","required":["id","zone"],"properties":{"id":{"type":"string"},"zone":{"type":"string"},"zoneID":{"type":"string"}}}},"securityGroups":{"type":"array","items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"name":{"type":"string"}}}},"amis":{"type":"array","items":{"type":"object","required":["id","requirements"],"properties":{"id":{"type":"string"},"name":{"type":"string"},"deprecated":{"type":"boolean"},"requirements":{"type":"array","items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string"},"operator":{"type":"string"},"values":{"type":"array","items":{"type":"string"}}}}}}}},"capacityReservations":{"type":"array","items":{"type":"object","required":["availabilityZone","id","instanceMatchCriteria","instanceType","ownerID"],"properties":{"id":{"type":"string","pattern":"^cr-[0-9a-z]+$"},"availabilityZone":{"type":"string"},"instanceMatchCriteria":{"type":"string","enum":["open","targeted"]},"instanceType":{"type":"string"},"ownerID":{"type":"string","pattern":"^[0-9]{12}$"},"reservationType":{"type":"string","enum":["default","capacity-block"]},"state":{"type":"string","enum":["active","expiring"]},"endTime":{"type":"string"},"interruptible":{"type":"boolean"}}}},"instanceProfile":{"type":"string"},"conditions":{"type":"array","items":{"type":"object","required":["lastTransitionTime","message","reason","status","type"],"properties":{"type":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},"status":{"type":"string","enum":["True","False","Unknown"]},"lastTransitionTime":{"type":"string"},"observedGeneration":{"type":"integer","minimum":0},"reason":{"type":"string","minLength":1,"maxLength":1024,"pattern":"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},"message":{"type":"string","maxLength":32768}}}},"observedGeneration":{"type":"integer"},"currentHash":{"type":"string"},"targetHash":{"type":"string"},"target":{"type":"string"},"currentImages":{"type":"array","maxItems":100,"items":{"type":"string"}},"targetImages":{"type":"array","maxItems":100,"items":{"type":"string"}},"nodes":{"type":"integer"},"upToDateNodes":{"type":"integer"},"driftedNodes":{"type":"integer"},"readyNodes":{"type":"integer"},"blockedNodes":{"type":"integer"},"blockedBy":{"type":"array","maxItems":10,"items":{"type":"object","required":["reason","nodes","message"],"properties":{"reason":{"type":"string"},"nodes":{"type":"integer"},"message":{"type":"string","maxLength":1024}}}},"pinnedImages":{"type":"object","required":["images","insteadOf","reason"],"properties":{"images":{"type":"array","maxItems":100,"items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"name":{"type":"string"},"requirements":{"type":"array","maxItems":100,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string"},"operator":{"type":"string"},"values":{"type":"array","items":{"type":"string"}}}}}}}},"insteadOf":{"type":"string"},"reason":{"type":"string","maxLength":1024},"gone":{"type":"array","maxItems":100,"items":{"type":"string"}},"undoTo":{"type":"integer"}}},"imageHistory":{"type":"array","maxItems":10,"items":{"type":"object","required":["revision","images","firstSeen","outcome"],"properties":{"revision":{"type":"integer"},"images":{"type":"array","maxItems":100,"items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"name":{"type":"string"},"requirements":{"type":"array","maxItems":100,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string"},"operator":{"type":"string"},"values":{"type":"array","items":{"type":"string"}}}}}}}},"firstSeen":{"type":"string"},"made":{"type":"string"},"family":{"type":"string"},"outcome":{"type":"string","enum":["good","bad","unknown"]}}}}}}},"required":["apiVersion","kind","metadata"]};
const pattern40 = func2("subnet-[0-9a-z]+", "");
const pattern41 = func2("sg-[0-9a-z]+", "");
const pattern42 = func2("^cr-[0-9a-z]+$", "");
const pattern43 = func2("^[0-9]{12}$", "");
const pattern44 = func2("^pg-[0-9a-z]+$", "");
const pattern45 = func2("ami-[0-9a-z]+", "");
const pattern46 = func2("^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$", "");

function validate13(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.apiVersion !== undefined){
if("karpenter.k8s.aws/v1" !== data.apiVersion){
const err3 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "karpenter.k8s.aws/v1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.kind !== undefined){
if("EC2NodeClass" !== data.kind){
const err4 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "EC2NodeClass"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
const err5 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.spec !== undefined){
let data3 = data.spec;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.amiSelectorTerms === undefined){
const err6 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "amiSelectorTerms"},message:"must have required property '"+"amiSelectorTerms"+"'"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(data3.securityGroupSelectorTerms === undefined){
const err7 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "securityGroupSelectorTerms"},message:"must have required property '"+"securityGroupSelectorTerms"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data3.subnetSelectorTerms === undefined){
const err8 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "subnetSelectorTerms"},message:"must have required property '"+"subnetSelectorTerms"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data3.subnetSelectorTerms !== undefined){
let data4 = data3.subnetSelectorTerms;
if(Array.isArray(data4)){
if(data4.length > 30){
const err9 = {instancePath:instancePath+"/spec/subnetSelectorTerms",schemaPath:"#/properties/spec/properties/subnetSelectorTerms/maxItems",keyword:"maxItems",params:{limit: 30},message:"must NOT have more than 30 items"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
let data5 = data4[i0];
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
if(data5.tags !== undefined){
let data6 = data5.tags;
if(data6 && typeof data6 == "object" && !Array.isArray(data6)){
if(Object.keys(data6).length > 20){
const err10 = {instancePath:instancePath+"/spec/subnetSelectorTerms/" + i0+"/tags",schemaPath:"#/properties/spec/properties/subnetSelectorTerms/items/properties/tags/maxProperties",keyword:"maxProperties",params:{limit: 20},message:"must NOT have more than 20 properties"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
for(const key0 in data6){
if(typeof data6[key0] !== "string"){
const err11 = {instancePath:instancePath+"/spec/subnetSelectorTerms/" + i0+"/tags/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/subnetSelectorTerms/items/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
}
else {
const err12 = {instancePath:instancePath+"/spec/subnetSelectorTerms/" + i0+"/tags",schemaPath:"#/properties/spec/properties/subnetSelectorTerms/items/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data5.id !== undefined){
let data8 = data5.id;
if(typeof data8 === "string"){
if(!pattern40.test(data8)){
const err13 = {instancePath:instancePath+"/spec/subnetSelectorTerms/" + i0+"/id",schemaPath:"#/properties/spec/properties/subnetSelectorTerms/items/properties/id/pattern",keyword:"pattern",params:{pattern: "subnet-[0-9a-z]+"},message:"must match pattern \""+"subnet-[0-9a-z]+"+"\""};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
else {
const err14 = {instancePath:instancePath+"/spec/subnetSelectorTerms/" + i0+"/id",schemaPath:"#/properties/spec/properties/subnetSelectorTerms/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
else {
const err15 = {instancePath:instancePath+"/spec/subnetSelectorTerms/" + i0,schemaPath:"#/properties/spec/properties/subnetSelectorTerms/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
else {
const err16 = {instancePath:instancePath+"/spec/subnetSelectorTerms",schemaPath:"#/properties/spec/properties/subnetSelectorTerms/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data3.securityGroupSelectorTerms !== undefined){
let data9 = data3.securityGroupSelectorTerms;
if(Array.isArray(data9)){
if(data9.length > 30){
const err17 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms",schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/maxItems",keyword:"maxItems",params:{limit: 30},message:"must NOT have more than 30 items"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
const len1 = data9.length;
for(let i1=0; i1<len1; i1++){
let data10 = data9[i1];
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.tags !== undefined){
let data11 = data10.tags;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
if(Object.keys(data11).length > 20){
const err18 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms/" + i1+"/tags",schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/items/properties/tags/maxProperties",keyword:"maxProperties",params:{limit: 20},message:"must NOT have more than 20 properties"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
for(const key1 in data11){
if(typeof data11[key1] !== "string"){
const err19 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms/" + i1+"/tags/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/items/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
}
else {
const err20 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms/" + i1+"/tags",schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/items/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data10.id !== undefined){
let data13 = data10.id;
if(typeof data13 === "string"){
if(!pattern41.test(data13)){
const err21 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms/" + i1+"/id",schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/items/properties/id/pattern",keyword:"pattern",params:{pattern: "sg-[0-9a-z]+"},message:"must match pattern \""+"sg-[0-9a-z]+"+"\""};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
else {
const err22 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms/" + i1+"/id",schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
if(data10.name !== undefined){
if(typeof data10.name !== "string"){
const err23 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms/" + i1+"/name",schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
else {
const err24 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms/" + i1,schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
}
else {
const err25 = {instancePath:instancePath+"/spec/securityGroupSelectorTerms",schemaPath:"#/properties/spec/properties/securityGroupSelectorTerms/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
if(data3.capacityReservationSelectorTerms !== undefined){
let data15 = data3.capacityReservationSelectorTerms;
if(Array.isArray(data15)){
if(data15.length > 30){
const err26 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/maxItems",keyword:"maxItems",params:{limit: 30},message:"must NOT have more than 30 items"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
const len2 = data15.length;
for(let i2=0; i2<len2; i2++){
let data16 = data15[i2];
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
if(data16.tags !== undefined){
let data17 = data16.tags;
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
if(Object.keys(data17).length > 20){
const err27 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/tags",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/tags/maxProperties",keyword:"maxProperties",params:{limit: 20},message:"must NOT have more than 20 properties"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
for(const key2 in data17){
if(typeof data17[key2] !== "string"){
const err28 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/tags/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
}
else {
const err29 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/tags",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
if(data16.id !== undefined){
let data19 = data16.id;
if(typeof data19 === "string"){
if(!pattern42.test(data19)){
const err30 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/id",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/id/pattern",keyword:"pattern",params:{pattern: "^cr-[0-9a-z]+$"},message:"must match pattern \""+"^cr-[0-9a-z]+$"+"\""};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
else {
const err31 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/id",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
if(data16.ownerID !== undefined){
let data20 = data16.ownerID;
if(typeof data20 === "string"){
if(!pattern43.test(data20)){
const err32 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/ownerID",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/ownerID/pattern",keyword:"pattern",params:{pattern: "^[0-9]{12}$"},message:"must match pattern \""+"^[0-9]{12}$"+"\""};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
else {
const err33 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/ownerID",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/ownerID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data16.instanceMatchCriteria !== undefined){
let data21 = data16.instanceMatchCriteria;
if(typeof data21 !== "string"){
const err34 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/instanceMatchCriteria",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/instanceMatchCriteria/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
if(!((data21 === "open") || (data21 === "targeted"))){
const err35 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2+"/instanceMatchCriteria",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/properties/instanceMatchCriteria/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.capacityReservationSelectorTerms.items.properties.instanceMatchCriteria.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
}
else {
const err36 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms/" + i2,schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
}
else {
const err37 = {instancePath:instancePath+"/spec/capacityReservationSelectorTerms",schemaPath:"#/properties/spec/properties/capacityReservationSelectorTerms/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
if(data3.placementGroupSelector !== undefined){
let data22 = data3.placementGroupSelector;
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
if(data22.name !== undefined){
let data23 = data22.name;
if(typeof data23 === "string"){
if(data23.length < 1){
const err38 = {instancePath:instancePath+"/spec/placementGroupSelector/name",schemaPath:"#/properties/spec/properties/placementGroupSelector/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
else {
const err39 = {instancePath:instancePath+"/spec/placementGroupSelector/name",schemaPath:"#/properties/spec/properties/placementGroupSelector/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data22.id !== undefined){
let data24 = data22.id;
if(typeof data24 === "string"){
if(!pattern44.test(data24)){
const err40 = {instancePath:instancePath+"/spec/placementGroupSelector/id",schemaPath:"#/properties/spec/properties/placementGroupSelector/properties/id/pattern",keyword:"pattern",params:{pattern: "^pg-[0-9a-z]+$"},message:"must match pattern \""+"^pg-[0-9a-z]+$"+"\""};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
else {
const err41 = {instancePath:instancePath+"/spec/placementGroupSelector/id",schemaPath:"#/properties/spec/properties/placementGroupSelector/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
}
else {
const err42 = {instancePath:instancePath+"/spec/placementGroupSelector",schemaPath:"#/properties/spec/properties/placementGroupSelector/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data3.associatePublicIPAddress !== undefined){
if(typeof data3.associatePublicIPAddress !== "boolean"){
const err43 = {instancePath:instancePath+"/spec/associatePublicIPAddress",schemaPath:"#/properties/spec/properties/associatePublicIPAddress/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
if(data3.ipPrefixCount !== undefined){
let data26 = data3.ipPrefixCount;
if(!((typeof data26 == "number") && (!(data26 % 1) && !isNaN(data26)))){
const err44 = {instancePath:instancePath+"/spec/ipPrefixCount",schemaPath:"#/properties/spec/properties/ipPrefixCount/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
if(typeof data26 == "number"){
if(data26 < 0 || isNaN(data26)){
const err45 = {instancePath:instancePath+"/spec/ipPrefixCount",schemaPath:"#/properties/spec/properties/ipPrefixCount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
}
if(data3.amiSelectorTerms !== undefined){
let data27 = data3.amiSelectorTerms;
if(Array.isArray(data27)){
if(data27.length > 30){
const err46 = {instancePath:instancePath+"/spec/amiSelectorTerms",schemaPath:"#/properties/spec/properties/amiSelectorTerms/maxItems",keyword:"maxItems",params:{limit: 30},message:"must NOT have more than 30 items"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if(data27.length < 1){
const err47 = {instancePath:instancePath+"/spec/amiSelectorTerms",schemaPath:"#/properties/spec/properties/amiSelectorTerms/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
const len3 = data27.length;
for(let i3=0; i3<len3; i3++){
let data28 = data27[i3];
if(data28 && typeof data28 == "object" && !Array.isArray(data28)){
if(data28.alias !== undefined){
let data29 = data28.alias;
if(typeof data29 === "string"){
if(data29.length > 30){
const err48 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/alias",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/alias/maxLength",keyword:"maxLength",params:{limit: 30},message:"must NOT have more than 30 characters"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
else {
const err49 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/alias",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/alias/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data28.tags !== undefined){
let data30 = data28.tags;
if(data30 && typeof data30 == "object" && !Array.isArray(data30)){
if(Object.keys(data30).length > 20){
const err50 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/tags",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/tags/maxProperties",keyword:"maxProperties",params:{limit: 20},message:"must NOT have more than 20 properties"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
for(const key3 in data30){
if(typeof data30[key3] !== "string"){
const err51 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/tags/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
}
else {
const err52 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/tags",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
if(data28.id !== undefined){
let data32 = data28.id;
if(typeof data32 === "string"){
if(!pattern45.test(data32)){
const err53 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/id",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/id/pattern",keyword:"pattern",params:{pattern: "ami-[0-9a-z]+"},message:"must match pattern \""+"ami-[0-9a-z]+"+"\""};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
else {
const err54 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/id",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
if(data28.name !== undefined){
if(typeof data28.name !== "string"){
const err55 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/name",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
if(data28.owner !== undefined){
if(typeof data28.owner !== "string"){
const err56 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/owner",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/owner/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
if(data28.ssmParameter !== undefined){
if(typeof data28.ssmParameter !== "string"){
const err57 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3+"/ssmParameter",schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/properties/ssmParameter/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
}
else {
const err58 = {instancePath:instancePath+"/spec/amiSelectorTerms/" + i3,schemaPath:"#/properties/spec/properties/amiSelectorTerms/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
}
else {
const err59 = {instancePath:instancePath+"/spec/amiSelectorTerms",schemaPath:"#/properties/spec/properties/amiSelectorTerms/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
}
if(data3.amiFamily !== undefined){
let data36 = data3.amiFamily;
if(typeof data36 !== "string"){
const err60 = {instancePath:instancePath+"/spec/amiFamily",schemaPath:"#/properties/spec/properties/amiFamily/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
if(!(((((((data36 === "AL2") || (data36 === "AL2023")) || (data36 === "Bottlerocket")) || (data36 === "Custom")) || (data36 === "Windows2019")) || (data36 === "Windows2022")) || (data36 === "Windows2025"))){
const err61 = {instancePath:instancePath+"/spec/amiFamily",schemaPath:"#/properties/spec/properties/amiFamily/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.amiFamily.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
if(data3.userData !== undefined){
if(typeof data3.userData !== "string"){
const err62 = {instancePath:instancePath+"/spec/userData",schemaPath:"#/properties/spec/properties/userData/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
if(data3.role !== undefined){
if(typeof data3.role !== "string"){
const err63 = {instancePath:instancePath+"/spec/role",schemaPath:"#/properties/spec/properties/role/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
if(data3.instanceProfile !== undefined){
if(typeof data3.instanceProfile !== "string"){
const err64 = {instancePath:instancePath+"/spec/instanceProfile",schemaPath:"#/properties/spec/properties/instanceProfile/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
if(data3.tags !== undefined){
let data40 = data3.tags;
if(data40 && typeof data40 == "object" && !Array.isArray(data40)){
for(const key4 in data40){
if(typeof data40[key4] !== "string"){
const err65 = {instancePath:instancePath+"/spec/tags/" + key4.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
}
else {
const err66 = {instancePath:instancePath+"/spec/tags",schemaPath:"#/properties/spec/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
}
if(data3.kubelet !== undefined){
let data42 = data3.kubelet;
if(data42 && typeof data42 == "object" && !Array.isArray(data42)){
}
else {
const err67 = {instancePath:instancePath+"/spec/kubelet",schemaPath:"#/properties/spec/properties/kubelet/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
if(data3.blockDeviceMappings !== undefined){
let data43 = data3.blockDeviceMappings;
if(Array.isArray(data43)){
if(data43.length > 50){
const err68 = {instancePath:instancePath+"/spec/blockDeviceMappings",schemaPath:"#/properties/spec/properties/blockDeviceMappings/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
const len4 = data43.length;
for(let i4=0; i4<len4; i4++){
let data44 = data43[i4];
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
if(data44.deviceName !== undefined){
if(typeof data44.deviceName !== "string"){
const err69 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/deviceName",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/deviceName/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
if(data44.rootVolume !== undefined){
if(typeof data44.rootVolume !== "boolean"){
const err70 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/rootVolume",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/rootVolume/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
if(data44.ebs !== undefined){
let data47 = data44.ebs;
if(data47 && typeof data47 == "object" && !Array.isArray(data47)){
if(data47.deleteOnTermination !== undefined){
if(typeof data47.deleteOnTermination !== "boolean"){
const err71 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/deleteOnTermination",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/deleteOnTermination/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
}
if(data47.encrypted !== undefined){
if(typeof data47.encrypted !== "boolean"){
const err72 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/encrypted",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/encrypted/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
if(data47.iops !== undefined){
let data50 = data47.iops;
if(!((typeof data50 == "number") && (!(data50 % 1) && !isNaN(data50)))){
const err73 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/iops",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/iops/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
if(data47.kmsKeyID !== undefined){
if(typeof data47.kmsKeyID !== "string"){
const err74 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/kmsKeyID",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/kmsKeyID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data47.snapshotID !== undefined){
if(typeof data47.snapshotID !== "string"){
const err75 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/snapshotID",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/snapshotID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
}
if(data47.throughput !== undefined){
let data53 = data47.throughput;
if(!((typeof data53 == "number") && (!(data53 % 1) && !isNaN(data53)))){
const err76 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/throughput",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/throughput/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
if(data47.volumeInitializationRate !== undefined){
let data54 = data47.volumeInitializationRate;
if(!((typeof data54 == "number") && (!(data54 % 1) && !isNaN(data54)))){
const err77 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/volumeInitializationRate",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/volumeInitializationRate/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
if(typeof data54 == "number"){
if(data54 > 300 || isNaN(data54)){
const err78 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/volumeInitializationRate",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/volumeInitializationRate/maximum",keyword:"maximum",params:{comparison: "<=", limit: 300},message:"must be <= 300"};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
if(data54 < 100 || isNaN(data54)){
const err79 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/volumeInitializationRate",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/volumeInitializationRate/minimum",keyword:"minimum",params:{comparison: ">=", limit: 100},message:"must be >= 100"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
}
if(data47.volumeSize !== undefined){
let data55 = data47.volumeSize;
if(typeof data55 === "string"){
if(!pattern46.test(data55)){
const err80 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/volumeSize",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/volumeSize/pattern",keyword:"pattern",params:{pattern: "^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$"},message:"must match pattern \""+"^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$"+"\""};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
else {
const err81 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/volumeSize",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/volumeSize/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
}
if(data47.volumeType !== undefined){
let data56 = data47.volumeType;
if(typeof data56 !== "string"){
const err82 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/volumeType",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/volumeType/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
if(!(((((((data56 === "standard") || (data56 === "io1")) || (data56 === "io2")) || (data56 === "gp2")) || (data56 === "sc1")) || (data56 === "st1")) || (data56 === "gp3"))){
const err83 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs/volumeType",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/properties/volumeType/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.blockDeviceMappings.items.properties.ebs.properties.volumeType.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
}
else {
const err84 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4+"/ebs",schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/properties/ebs/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
}
else {
const err85 = {instancePath:instancePath+"/spec/blockDeviceMappings/" + i4,schemaPath:"#/properties/spec/properties/blockDeviceMappings/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
}
else {
const err86 = {instancePath:instancePath+"/spec/blockDeviceMappings",schemaPath:"#/properties/spec/properties/blockDeviceMappings/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
if(data3.instanceStorePolicy !== undefined){
let data57 = data3.instanceStorePolicy;
if(typeof data57 !== "string"){
const err87 = {instancePath:instancePath+"/spec/instanceStorePolicy",schemaPath:"#/properties/spec/properties/instanceStorePolicy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
if(!(data57 === "RAID0")){
const err88 = {instancePath:instancePath+"/spec/instanceStorePolicy",schemaPath:"#/properties/spec/properties/instanceStorePolicy/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.instanceStorePolicy.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
}
if(data3.networkInterfaces !== undefined){
let data58 = data3.networkInterfaces;
if(Array.isArray(data58)){
if(data58.length > 150){
const err89 = {instancePath:instancePath+"/spec/networkInterfaces",schemaPath:"#/properties/spec/properties/networkInterfaces/maxItems",keyword:"maxItems",params:{limit: 150},message:"must NOT have more than 150 items"};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
const len5 = data58.length;
for(let i5=0; i5<len5; i5++){
let data59 = data58[i5];
if(data59 && typeof data59 == "object" && !Array.isArray(data59)){
if(data59.deviceIndex === undefined){
const err90 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5,schemaPath:"#/properties/spec/properties/networkInterfaces/items/required",keyword:"required",params:{missingProperty: "deviceIndex"},message:"must have required property '"+"deviceIndex"+"'"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
if(data59.interfaceType === undefined){
const err91 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5,schemaPath:"#/properties/spec/properties/networkInterfaces/items/required",keyword:"required",params:{missingProperty: "interfaceType"},message:"must have required property '"+"interfaceType"+"'"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
if(data59.networkCardIndex === undefined){
const err92 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5,schemaPath:"#/properties/spec/properties/networkInterfaces/items/required",keyword:"required",params:{missingProperty: "networkCardIndex"},message:"must have required property '"+"networkCardIndex"+"'"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
if(data59.networkCardIndex !== undefined){
let data60 = data59.networkCardIndex;
if(!((typeof data60 == "number") && (!(data60 % 1) && !isNaN(data60)))){
const err93 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5+"/networkCardIndex",schemaPath:"#/properties/spec/properties/networkInterfaces/items/properties/networkCardIndex/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
if(typeof data60 == "number"){
if(data60 < 0 || isNaN(data60)){
const err94 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5+"/networkCardIndex",schemaPath:"#/properties/spec/properties/networkInterfaces/items/properties/networkCardIndex/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
}
}
if(data59.deviceIndex !== undefined){
let data61 = data59.deviceIndex;
if(!((typeof data61 == "number") && (!(data61 % 1) && !isNaN(data61)))){
const err95 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5+"/deviceIndex",schemaPath:"#/properties/spec/properties/networkInterfaces/items/properties/deviceIndex/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
if(typeof data61 == "number"){
if(data61 < 0 || isNaN(data61)){
const err96 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5+"/deviceIndex",schemaPath:"#/properties/spec/properties/networkInterfaces/items/properties/deviceIndex/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
}
}
if(data59.interfaceType !== undefined){
let data62 = data59.interfaceType;
if(typeof data62 !== "string"){
const err97 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5+"/interfaceType",schemaPath:"#/properties/spec/properties/networkInterfaces/items/properties/interfaceType/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
if(!((data62 === "interface") || (data62 === "efa-only"))){
const err98 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5+"/interfaceType",schemaPath:"#/properties/spec/properties/networkInterfaces/items/properties/interfaceType/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.networkInterfaces.items.properties.interfaceType.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
}
else {
const err99 = {instancePath:instancePath+"/spec/networkInterfaces/" + i5,schemaPath:"#/properties/spec/properties/networkInterfaces/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
}
else {
const err100 = {instancePath:instancePath+"/spec/networkInterfaces",schemaPath:"#/properties/spec/properties/networkInterfaces/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
}
if(data3.detailedMonitoring !== undefined){
if(typeof data3.detailedMonitoring !== "boolean"){
const err101 = {instancePath:instancePath+"/spec/detailedMonitoring",schemaPath:"#/properties/spec/properties/detailedMonitoring/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
}
if(data3.metadataOptions !== undefined){
let data64 = data3.metadataOptions;
if(data64 && typeof data64 == "object" && !Array.isArray(data64)){
if(data64.httpEndpoint !== undefined){
let data65 = data64.httpEndpoint;
if(typeof data65 !== "string"){
const err102 = {instancePath:instancePath+"/spec/metadataOptions/httpEndpoint",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpEndpoint/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
if(!((data65 === "enabled") || (data65 === "disabled"))){
const err103 = {instancePath:instancePath+"/spec/metadataOptions/httpEndpoint",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpEndpoint/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.metadataOptions.properties.httpEndpoint.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
}
if(data64.httpProtocolIPv6 !== undefined){
let data66 = data64.httpProtocolIPv6;
if(typeof data66 !== "string"){
const err104 = {instancePath:instancePath+"/spec/metadataOptions/httpProtocolIPv6",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpProtocolIPv6/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
if(!((data66 === "enabled") || (data66 === "disabled"))){
const err105 = {instancePath:instancePath+"/spec/metadataOptions/httpProtocolIPv6",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpProtocolIPv6/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.metadataOptions.properties.httpProtocolIPv6.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
}
if(data64.httpPutResponseHopLimit !== undefined){
let data67 = data64.httpPutResponseHopLimit;
if(!((typeof data67 == "number") && (!(data67 % 1) && !isNaN(data67)))){
const err106 = {instancePath:instancePath+"/spec/metadataOptions/httpPutResponseHopLimit",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpPutResponseHopLimit/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
if(typeof data67 == "number"){
if(data67 > 64 || isNaN(data67)){
const err107 = {instancePath:instancePath+"/spec/metadataOptions/httpPutResponseHopLimit",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpPutResponseHopLimit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
if(data67 < 1 || isNaN(data67)){
const err108 = {instancePath:instancePath+"/spec/metadataOptions/httpPutResponseHopLimit",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpPutResponseHopLimit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
}
}
if(data64.httpTokens !== undefined){
let data68 = data64.httpTokens;
if(typeof data68 !== "string"){
const err109 = {instancePath:instancePath+"/spec/metadataOptions/httpTokens",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpTokens/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
if(!((data68 === "required") || (data68 === "optional"))){
const err110 = {instancePath:instancePath+"/spec/metadataOptions/httpTokens",schemaPath:"#/properties/spec/properties/metadataOptions/properties/httpTokens/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.metadataOptions.properties.httpTokens.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
}
}
else {
const err111 = {instancePath:instancePath+"/spec/metadataOptions",schemaPath:"#/properties/spec/properties/metadataOptions/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
}
if(data3.connectionTracking !== undefined){
let data69 = data3.connectionTracking;
if(data69 && typeof data69 == "object" && !Array.isArray(data69)){
if(data69.tcpEstablishedTimeout !== undefined){
let data70 = data69.tcpEstablishedTimeout;
if(!((typeof data70 == "number") && (!(data70 % 1) && !isNaN(data70)))){
const err112 = {instancePath:instancePath+"/spec/connectionTracking/tcpEstablishedTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/tcpEstablishedTimeout/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
if(typeof data70 == "number"){
if(data70 > 432000 || isNaN(data70)){
const err113 = {instancePath:instancePath+"/spec/connectionTracking/tcpEstablishedTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/tcpEstablishedTimeout/maximum",keyword:"maximum",params:{comparison: "<=", limit: 432000},message:"must be <= 432000"};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
if(data70 < 60 || isNaN(data70)){
const err114 = {instancePath:instancePath+"/spec/connectionTracking/tcpEstablishedTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/tcpEstablishedTimeout/minimum",keyword:"minimum",params:{comparison: ">=", limit: 60},message:"must be >= 60"};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
}
}
if(data69.udpStreamTimeout !== undefined){
let data71 = data69.udpStreamTimeout;
if(!((typeof data71 == "number") && (!(data71 % 1) && !isNaN(data71)))){
const err115 = {instancePath:instancePath+"/spec/connectionTracking/udpStreamTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/udpStreamTimeout/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
if(typeof data71 == "number"){
if(data71 > 180 || isNaN(data71)){
const err116 = {instancePath:instancePath+"/spec/connectionTracking/udpStreamTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/udpStreamTimeout/maximum",keyword:"maximum",params:{comparison: "<=", limit: 180},message:"must be <= 180"};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
if(data71 < 60 || isNaN(data71)){
const err117 = {instancePath:instancePath+"/spec/connectionTracking/udpStreamTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/udpStreamTimeout/minimum",keyword:"minimum",params:{comparison: ">=", limit: 60},message:"must be >= 60"};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
}
}
if(data69.udpTimeout !== undefined){
let data72 = data69.udpTimeout;
if(!((typeof data72 == "number") && (!(data72 % 1) && !isNaN(data72)))){
const err118 = {instancePath:instancePath+"/spec/connectionTracking/udpTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/udpTimeout/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err118];
}
else {
vErrors.push(err118);
}
errors++;
}
if(typeof data72 == "number"){
if(data72 > 60 || isNaN(data72)){
const err119 = {instancePath:instancePath+"/spec/connectionTracking/udpTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/udpTimeout/maximum",keyword:"maximum",params:{comparison: "<=", limit: 60},message:"must be <= 60"};
if(vErrors === null){
vErrors = [err119];
}
else {
vErrors.push(err119);
}
errors++;
}
if(data72 < 30 || isNaN(data72)){
const err120 = {instancePath:instancePath+"/spec/connectionTracking/udpTimeout",schemaPath:"#/properties/spec/properties/connectionTracking/properties/udpTimeout/minimum",keyword:"minimum",params:{comparison: ">=", limit: 30},message:"must be >= 30"};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
}
}
}
else {
const err121 = {instancePath:instancePath+"/spec/connectionTracking",schemaPath:"#/properties/spec/properties/connectionTracking/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
}
if(data3.context !== undefined){
if(typeof data3.context !== "string"){
const err122 = {instancePath:instancePath+"/spec/context",schemaPath:"#/properties/spec/properties/context/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
}
if(data3.cpuOptions !== undefined){
let data74 = data3.cpuOptions;
if(data74 && typeof data74 == "object" && !Array.isArray(data74)){
if(data74.nestedVirtualization !== undefined){
let data75 = data74.nestedVirtualization;
if(typeof data75 !== "string"){
const err123 = {instancePath:instancePath+"/spec/cpuOptions/nestedVirtualization",schemaPath:"#/properties/spec/properties/cpuOptions/properties/nestedVirtualization/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err123];
}
else {
vErrors.push(err123);
}
errors++;
}
if(!((data75 === "enabled") || (data75 === "disabled"))){
const err124 = {instancePath:instancePath+"/spec/cpuOptions/nestedVirtualization",schemaPath:"#/properties/spec/properties/cpuOptions/properties/nestedVirtualization/enum",keyword:"enum",params:{allowedValues: schema14.properties.spec.properties.cpuOptions.properties.nestedVirtualization.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err124];
}
else {
vErrors.push(err124);
}
errors++;
}
}
}
else {
const err125 = {instancePath:instancePath+"/spec/cpuOptions",schemaPath:"#/properties/spec/properties/cpuOptions/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err125];
}
else {
vErrors.push(err125);
}
errors++;
}
}
}
else {
const err126 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err126];
}
else {
vErrors.push(err126);
}
errors++;
}
}
if(data.status !== undefined){
let data76 = data.status;
if(data76 && typeof data76 == "object" && !Array.isArray(data76)){
if(data76.subnets !== undefined){
let data77 = data76.subnets;
if(Array.isArray(data77)){
const len6 = data77.length;
for(let i6=0; i6<len6; i6++){
let data78 = data77[i6];
if(data78 && typeof data78 == "object" && !Array.isArray(data78)){
if(data78.id === undefined){
const err127 = {instancePath:instancePath+"/status/subnets/" + i6,schemaPath:"#/properties/status/properties/subnets/items/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
if(vErrors === null){
vErrors = [err127];
}
else {
vErrors.push(err127);
}
errors++;
}
if(data78.zone === undefined){
const err128 = {instancePath:instancePath+"/status/subnets/" + i6,schemaPath:"#/properties/status/properties/subnets/items/required",keyword:"required",params:{missingProperty: "zone"},message:"must have required property '"+"zone"+"'"};
if(vErrors === null){
vErrors = [err128];
}
else {
vErrors.push(err128);
}
errors++;
}
if(data78.id !== undefined){
if(typeof data78.id !== "string"){
const err129 = {instancePath:instancePath+"/status/subnets/" + i6+"/id",schemaPath:"#/properties/status/properties/subnets/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err129];
}
else {
vErrors.push(err129);
}
errors++;
}
}
if(data78.zone !== undefined){
if(typeof data78.zone !== "string"){
const err130 = {instancePath:instancePath+"/status/subnets/" + i6+"/zone",schemaPath:"#/properties/status/properties/subnets/items/properties/zone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err130];
}
else {
vErrors.push(err130);
}
errors++;
}
}
if(data78.zoneID !== undefined){
if(typeof data78.zoneID !== "string"){
const err131 = {instancePath:instancePath+"/status/subnets/" + i6+"/zoneID",schemaPath:"#/properties/status/properties/subnets/items/properties/zoneID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err131];
}
else {
vErrors.push(err131);
}
errors++;
}
}
}
else {
const err132 = {instancePath:instancePath+"/status/subnets/" + i6,schemaPath:"#/properties/status/properties/subnets/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err132];
}
else {
vErrors.push(err132);
}
errors++;
}
}
}
else {
const err133 = {instancePath:instancePath+"/status/subnets",schemaPath:"#/properties/status/properties/subnets/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err133];
}
else {
vErrors.push(err133);
}
errors++;
}
}
if(data76.securityGroups !== undefined){
let data82 = data76.securityGroups;
if(Array.isArray(data82)){
const len7 = data82.length;
for(let i7=0; i7<len7; i7++){
let data83 = data82[i7];
if(data83 && typeof data83 == "object" && !Array.isArray(data83)){
if(data83.id === undefined){
const err134 = {instancePath:instancePath+"/status/securityGroups/" + i7,schemaPath:"#/properties/status/properties/securityGroups/items/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
if(vErrors === null){
vErrors = [err134];
}
else {
vErrors.push(err134);
}
errors++;
}
if(data83.id !== undefined){
if(typeof data83.id !== "string"){
const err135 = {instancePath:instancePath+"/status/securityGroups/" + i7+"/id",schemaPath:"#/properties/status/properties/securityGroups/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err135];
}
else {
vErrors.push(err135);
}
errors++;
}
}
if(data83.name !== undefined){
if(typeof data83.name !== "string"){
const err136 = {instancePath:instancePath+"/status/securityGroups/" + i7+"/name",schemaPath:"#/properties/status/properties/securityGroups/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err136];
}
else {
vErrors.push(err136);
}
errors++;
}
}
}
else {
const err137 = {instancePath:instancePath+"/status/securityGroups/" + i7,schemaPath:"#/properties/status/properties/securityGroups/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err137];
}
else {
vErrors.push(err137);
}
errors++;
}
}
}
else {
const err138 = {instancePath:instancePath+"/status/securityGroups",schemaPath:"#/properties/status/properties/securityGroups/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err138];
}
else {
vErrors.push(err138);
}
errors++;
}
}
if(data76.amis !== undefined){
let data86 = data76.amis;
if(Array.isArray(data86)){
const len8 = data86.length;
for(let i8=0; i8<len8; i8++){
let data87 = data86[i8];
if(data87 && typeof data87 == "object" && !Array.isArray(data87)){
if(data87.id === undefined){
const err139 = {instancePath:instancePath+"/status/amis/" + i8,schemaPath:"#/properties/status/properties/amis/items/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
if(vErrors === null){
vErrors = [err139];
}
else {
vErrors.push(err139);
}
errors++;
}
if(data87.requirements === undefined){
const err140 = {instancePath:instancePath+"/status/amis/" + i8,schemaPath:"#/properties/status/properties/amis/items/required",keyword:"required",params:{missingProperty: "requirements"},message:"must have required property '"+"requirements"+"'"};
if(vErrors === null){
vErrors = [err140];
}
else {
vErrors.push(err140);
}
errors++;
}
if(data87.id !== undefined){
if(typeof data87.id !== "string"){
const err141 = {instancePath:instancePath+"/status/amis/" + i8+"/id",schemaPath:"#/properties/status/properties/amis/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err141];
}
else {
vErrors.push(err141);
}
errors++;
}
}
if(data87.name !== undefined){
if(typeof data87.name !== "string"){
const err142 = {instancePath:instancePath+"/status/amis/" + i8+"/name",schemaPath:"#/properties/status/properties/amis/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err142];
}
else {
vErrors.push(err142);
}
errors++;
}
}
if(data87.deprecated !== undefined){
if(typeof data87.deprecated !== "boolean"){
const err143 = {instancePath:instancePath+"/status/amis/" + i8+"/deprecated",schemaPath:"#/properties/status/properties/amis/items/properties/deprecated/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err143];
}
else {
vErrors.push(err143);
}
errors++;
}
}
if(data87.requirements !== undefined){
let data91 = data87.requirements;
if(Array.isArray(data91)){
const len9 = data91.length;
for(let i9=0; i9<len9; i9++){
let data92 = data91[i9];
if(data92 && typeof data92 == "object" && !Array.isArray(data92)){
if(data92.key === undefined){
const err144 = {instancePath:instancePath+"/status/amis/" + i8+"/requirements/" + i9,schemaPath:"#/properties/status/properties/amis/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err144];
}
else {
vErrors.push(err144);
}
errors++;
}
if(data92.operator === undefined){
const err145 = {instancePath:instancePath+"/status/amis/" + i8+"/requirements/" + i9,schemaPath:"#/properties/status/properties/amis/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err145];
}
else {
vErrors.push(err145);
}
errors++;
}
if(data92.key !== undefined){
if(typeof data92.key !== "string"){
const err146 = {instancePath:instancePath+"/status/amis/" + i8+"/requirements/" + i9+"/key",schemaPath:"#/properties/status/properties/amis/items/properties/requirements/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err146];
}
else {
vErrors.push(err146);
}
errors++;
}
}
if(data92.operator !== undefined){
if(typeof data92.operator !== "string"){
const err147 = {instancePath:instancePath+"/status/amis/" + i8+"/requirements/" + i9+"/operator",schemaPath:"#/properties/status/properties/amis/items/properties/requirements/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err147];
}
else {
vErrors.push(err147);
}
errors++;
}
}
if(data92.values !== undefined){
let data95 = data92.values;
if(Array.isArray(data95)){
const len10 = data95.length;
for(let i10=0; i10<len10; i10++){
if(typeof data95[i10] !== "string"){
const err148 = {instancePath:instancePath+"/status/amis/" + i8+"/requirements/" + i9+"/values/" + i10,schemaPath:"#/properties/status/properties/amis/items/properties/requirements/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err148];
}
else {
vErrors.push(err148);
}
errors++;
}
}
}
else {
const err149 = {instancePath:instancePath+"/status/amis/" + i8+"/requirements/" + i9+"/values",schemaPath:"#/properties/status/properties/amis/items/properties/requirements/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err149];
}
else {
vErrors.push(err149);
}
errors++;
}
}
}
else {
const err150 = {instancePath:instancePath+"/status/amis/" + i8+"/requirements/" + i9,schemaPath:"#/properties/status/properties/amis/items/properties/requirements/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err150];
}
else {
vErrors.push(err150);
}
errors++;
}
}
}
else {
const err151 = {instancePath:instancePath+"/status/amis/" + i8+"/requirements",schemaPath:"#/properties/status/properties/amis/items/properties/requirements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err151];
}
else {
vErrors.push(err151);
}
errors++;
}
}
}
else {
const err152 = {instancePath:instancePath+"/status/amis/" + i8,schemaPath:"#/properties/status/properties/amis/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err152];
}
else {
vErrors.push(err152);
}
errors++;
}
}
}
else {
const err153 = {instancePath:instancePath+"/status/amis",schemaPath:"#/properties/status/properties/amis/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err153];
}
else {
vErrors.push(err153);
}
errors++;
}
}
if(data76.capacityReservations !== undefined){
let data97 = data76.capacityReservations;
if(Array.isArray(data97)){
const len11 = data97.length;
for(let i11=0; i11<len11; i11++){
let data98 = data97[i11];
if(data98 && typeof data98 == "object" && !Array.isArray(data98)){
if(data98.availabilityZone === undefined){
const err154 = {instancePath:instancePath+"/status/capacityReservations/" + i11,schemaPath:"#/properties/status/properties/capacityReservations/items/required",keyword:"required",params:{missingProperty: "availabilityZone"},message:"must have required property '"+"availabilityZone"+"'"};
if(vErrors === null){
vErrors = [err154];
}
else {
vErrors.push(err154);
}
errors++;
}
if(data98.id === undefined){
const err155 = {instancePath:instancePath+"/status/capacityReservations/" + i11,schemaPath:"#/properties/status/properties/capacityReservations/items/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
if(vErrors === null){
vErrors = [err155];
}
else {
vErrors.push(err155);
}
errors++;
}
if(data98.instanceMatchCriteria === undefined){
const err156 = {instancePath:instancePath+"/status/capacityReservations/" + i11,schemaPath:"#/properties/status/properties/capacityReservations/items/required",keyword:"required",params:{missingProperty: "instanceMatchCriteria"},message:"must have required property '"+"instanceMatchCriteria"+"'"};
if(vErrors === null){
vErrors = [err156];
}
else {
vErrors.push(err156);
}
errors++;
}
if(data98.instanceType === undefined){
const err157 = {instancePath:instancePath+"/status/capacityReservations/" + i11,schemaPath:"#/properties/status/properties/capacityReservations/items/required",keyword:"required",params:{missingProperty: "instanceType"},message:"must have required property '"+"instanceType"+"'"};
if(vErrors === null){
vErrors = [err157];
}
else {
vErrors.push(err157);
}
errors++;
}
if(data98.ownerID === undefined){
const err158 = {instancePath:instancePath+"/status/capacityReservations/" + i11,schemaPath:"#/properties/status/properties/capacityReservations/items/required",keyword:"required",params:{missingProperty: "ownerID"},message:"must have required property '"+"ownerID"+"'"};
if(vErrors === null){
vErrors = [err158];
}
else {
vErrors.push(err158);
}
errors++;
}
if(data98.id !== undefined){
let data99 = data98.id;
if(typeof data99 === "string"){
if(!pattern42.test(data99)){
const err159 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/id",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/id/pattern",keyword:"pattern",params:{pattern: "^cr-[0-9a-z]+$"},message:"must match pattern \""+"^cr-[0-9a-z]+$"+"\""};
if(vErrors === null){
vErrors = [err159];
}
else {
vErrors.push(err159);
}
errors++;
}
}
else {
const err160 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/id",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err160];
}
else {
vErrors.push(err160);
}
errors++;
}
}
if(data98.availabilityZone !== undefined){
if(typeof data98.availabilityZone !== "string"){
const err161 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/availabilityZone",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/availabilityZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err161];
}
else {
vErrors.push(err161);
}
errors++;
}
}
if(data98.instanceMatchCriteria !== undefined){
let data101 = data98.instanceMatchCriteria;
if(typeof data101 !== "string"){
const err162 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/instanceMatchCriteria",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/instanceMatchCriteria/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err162];
}
else {
vErrors.push(err162);
}
errors++;
}
if(!((data101 === "open") || (data101 === "targeted"))){
const err163 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/instanceMatchCriteria",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/instanceMatchCriteria/enum",keyword:"enum",params:{allowedValues: schema14.properties.status.properties.capacityReservations.items.properties.instanceMatchCriteria.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err163];
}
else {
vErrors.push(err163);
}
errors++;
}
}
if(data98.instanceType !== undefined){
if(typeof data98.instanceType !== "string"){
const err164 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/instanceType",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/instanceType/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err164];
}
else {
vErrors.push(err164);
}
errors++;
}
}
if(data98.ownerID !== undefined){
let data103 = data98.ownerID;
if(typeof data103 === "string"){
if(!pattern43.test(data103)){
const err165 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/ownerID",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/ownerID/pattern",keyword:"pattern",params:{pattern: "^[0-9]{12}$"},message:"must match pattern \""+"^[0-9]{12}$"+"\""};
if(vErrors === null){
vErrors = [err165];
}
else {
vErrors.push(err165);
}
errors++;
}
}
else {
const err166 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/ownerID",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/ownerID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err166];
}
else {
vErrors.push(err166);
}
errors++;
}
}
if(data98.reservationType !== undefined){
let data104 = data98.reservationType;
if(typeof data104 !== "string"){
const err167 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/reservationType",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/reservationType/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err167];
}
else {
vErrors.push(err167);
}
errors++;
}
if(!((data104 === "default") || (data104 === "capacity-block"))){
const err168 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/reservationType",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/reservationType/enum",keyword:"enum",params:{allowedValues: schema14.properties.status.properties.capacityReservations.items.properties.reservationType.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err168];
}
else {
vErrors.push(err168);
}
errors++;
}
}
if(data98.state !== undefined){
let data105 = data98.state;
if(typeof data105 !== "string"){
const err169 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/state",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/state/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err169];
}
else {
vErrors.push(err169);
}
errors++;
}
if(!((data105 === "active") || (data105 === "expiring"))){
const err170 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/state",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/state/enum",keyword:"enum",params:{allowedValues: schema14.properties.status.properties.capacityReservations.items.properties.state.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err170];
}
else {
vErrors.push(err170);
}
errors++;
}
}
if(data98.endTime !== undefined){
if(typeof data98.endTime !== "string"){
const err171 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/endTime",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/endTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err171];
}
else {
vErrors.push(err171);
}
errors++;
}
}
if(data98.interruptible !== undefined){
if(typeof data98.interruptible !== "boolean"){
const err172 = {instancePath:instancePath+"/status/capacityReservations/" + i11+"/interruptible",schemaPath:"#/properties/status/properties/capacityReservations/items/properties/interruptible/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err172];
}
else {
vErrors.push(err172);
}
errors++;
}
}
}
else {
const err173 = {instancePath:instancePath+"/status/capacityReservations/" + i11,schemaPath:"#/properties/status/properties/capacityReservations/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err173];
}
else {
vErrors.push(err173);
}
errors++;
}
}
}
else {
const err174 = {instancePath:instancePath+"/status/capacityReservations",schemaPath:"#/properties/status/properties/capacityReservations/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err174];
}
else {
vErrors.push(err174);
}
errors++;
}
}
if(data76.instanceProfile !== undefined){
if(typeof data76.instanceProfile !== "string"){
const err175 = {instancePath:instancePath+"/status/instanceProfile",schemaPath:"#/properties/status/properties/instanceProfile/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err175];
}
else {
vErrors.push(err175);
}
errors++;
}
}
if(data76.conditions !== undefined){
let data109 = data76.conditions;
if(Array.isArray(data109)){
const len12 = data109.length;
for(let i12=0; i12<len12; i12++){
let data110 = data109[i12];
if(data110 && typeof data110 == "object" && !Array.isArray(data110)){
if(data110.lastTransitionTime === undefined){
const err176 = {instancePath:instancePath+"/status/conditions/" + i12,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err176];
}
else {
vErrors.push(err176);
}
errors++;
}
if(data110.message === undefined){
const err177 = {instancePath:instancePath+"/status/conditions/" + i12,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err177];
}
else {
vErrors.push(err177);
}
errors++;
}
if(data110.reason === undefined){
const err178 = {instancePath:instancePath+"/status/conditions/" + i12,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err178];
}
else {
vErrors.push(err178);
}
errors++;
}
if(data110.status === undefined){
const err179 = {instancePath:instancePath+"/status/conditions/" + i12,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err179];
}
else {
vErrors.push(err179);
}
errors++;
}
if(data110.type === undefined){
const err180 = {instancePath:instancePath+"/status/conditions/" + i12,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err180];
}
else {
vErrors.push(err180);
}
errors++;
}
if(data110.type !== undefined){
let data111 = data110.type;
if(typeof data111 === "string"){
if(data111.length > 316){
const err181 = {instancePath:instancePath+"/status/conditions/" + i12+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err181];
}
else {
vErrors.push(err181);
}
errors++;
}
if(!pattern1.test(data111)){
const err182 = {instancePath:instancePath+"/status/conditions/" + i12+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"+"\""};
if(vErrors === null){
vErrors = [err182];
}
else {
vErrors.push(err182);
}
errors++;
}
}
else {
const err183 = {instancePath:instancePath+"/status/conditions/" + i12+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err183];
}
else {
vErrors.push(err183);
}
errors++;
}
}
if(data110.status !== undefined){
let data112 = data110.status;
if(typeof data112 !== "string"){
const err184 = {instancePath:instancePath+"/status/conditions/" + i12+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err184];
}
else {
vErrors.push(err184);
}
errors++;
}
if(!(((data112 === "True") || (data112 === "False")) || (data112 === "Unknown"))){
const err185 = {instancePath:instancePath+"/status/conditions/" + i12+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema14.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err185];
}
else {
vErrors.push(err185);
}
errors++;
}
}
if(data110.lastTransitionTime !== undefined){
if(typeof data110.lastTransitionTime !== "string"){
const err186 = {instancePath:instancePath+"/status/conditions/" + i12+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err186];
}
else {
vErrors.push(err186);
}
errors++;
}
}
if(data110.observedGeneration !== undefined){
let data114 = data110.observedGeneration;
if(!((typeof data114 == "number") && (!(data114 % 1) && !isNaN(data114)))){
const err187 = {instancePath:instancePath+"/status/conditions/" + i12+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err187];
}
else {
vErrors.push(err187);
}
errors++;
}
if(typeof data114 == "number"){
if(data114 < 0 || isNaN(data114)){
const err188 = {instancePath:instancePath+"/status/conditions/" + i12+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err188];
}
else {
vErrors.push(err188);
}
errors++;
}
}
}
if(data110.reason !== undefined){
let data115 = data110.reason;
if(typeof data115 === "string"){
if(data115.length > 1024){
const err189 = {instancePath:instancePath+"/status/conditions/" + i12+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err189];
}
else {
vErrors.push(err189);
}
errors++;
}
if(data115.length < 1){
const err190 = {instancePath:instancePath+"/status/conditions/" + i12+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err190];
}
else {
vErrors.push(err190);
}
errors++;
}
if(!pattern2.test(data115)){
const err191 = {instancePath:instancePath+"/status/conditions/" + i12+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},message:"must match pattern \""+"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"+"\""};
if(vErrors === null){
vErrors = [err191];
}
else {
vErrors.push(err191);
}
errors++;
}
}
else {
const err192 = {instancePath:instancePath+"/status/conditions/" + i12+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err192];
}
else {
vErrors.push(err192);
}
errors++;
}
}
if(data110.message !== undefined){
let data116 = data110.message;
if(typeof data116 === "string"){
if(data116.length > 32768){
const err193 = {instancePath:instancePath+"/status/conditions/" + i12+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err193];
}
else {
vErrors.push(err193);
}
errors++;
}
}
else {
const err194 = {instancePath:instancePath+"/status/conditions/" + i12+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err194];
}
else {
vErrors.push(err194);
}
errors++;
}
}
}
else {
const err195 = {instancePath:instancePath+"/status/conditions/" + i12,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err195];
}
else {
vErrors.push(err195);
}
errors++;
}
}
}
else {
const err196 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err196];
}
else {
vErrors.push(err196);
}
errors++;
}
}
if(data76.observedGeneration !== undefined){
let data117 = data76.observedGeneration;
if(!((typeof data117 == "number") && (!(data117 % 1) && !isNaN(data117)))){
const err197 = {instancePath:instancePath+"/status/observedGeneration",schemaPath:"#/properties/status/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err197];
}
else {
vErrors.push(err197);
}
errors++;
}
}
if(data76.currentHash !== undefined){
if(typeof data76.currentHash !== "string"){
const err198 = {instancePath:instancePath+"/status/currentHash",schemaPath:"#/properties/status/properties/currentHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err198];
}
else {
vErrors.push(err198);
}
errors++;
}
}
if(data76.targetHash !== undefined){
if(typeof data76.targetHash !== "string"){
const err199 = {instancePath:instancePath+"/status/targetHash",schemaPath:"#/properties/status/properties/targetHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err199];
}
else {
vErrors.push(err199);
}
errors++;
}
}
if(data76.target !== undefined){
if(typeof data76.target !== "string"){
const err200 = {instancePath:instancePath+"/status/target",schemaPath:"#/properties/status/properties/target/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err200];
}
else {
vErrors.push(err200);
}
errors++;
}
}
if(data76.currentImages !== undefined){
let data121 = data76.currentImages;
if(Array.isArray(data121)){
if(data121.length > 100){
const err201 = {instancePath:instancePath+"/status/currentImages",schemaPath:"#/properties/status/properties/currentImages/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err201];
}
else {
vErrors.push(err201);
}
errors++;
}
const len13 = data121.length;
for(let i13=0; i13<len13; i13++){
if(typeof data121[i13] !== "string"){
const err202 = {instancePath:instancePath+"/status/currentImages/" + i13,schemaPath:"#/properties/status/properties/currentImages/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err202];
}
else {
vErrors.push(err202);
}
errors++;
}
}
}
else {
const err203 = {instancePath:instancePath+"/status/currentImages",schemaPath:"#/properties/status/properties/currentImages/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err203];
}
else {
vErrors.push(err203);
}
errors++;
}
}
if(data76.targetImages !== undefined){
let data123 = data76.targetImages;
if(Array.isArray(data123)){
if(data123.length > 100){
const err204 = {instancePath:instancePath+"/status/targetImages",schemaPath:"#/properties/status/properties/targetImages/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err204];
}
else {
vErrors.push(err204);
}
errors++;
}
const len14 = data123.length;
for(let i14=0; i14<len14; i14++){
if(typeof data123[i14] !== "string"){
const err205 = {instancePath:instancePath+"/status/targetImages/" + i14,schemaPath:"#/properties/status/properties/targetImages/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err205];
}
else {
vErrors.push(err205);
}
errors++;
}
}
}
else {
const err206 = {instancePath:instancePath+"/status/targetImages",schemaPath:"#/properties/status/properties/targetImages/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err206];
}
else {
vErrors.push(err206);
}
errors++;
}
}
if(data76.nodes !== undefined){
let data125 = data76.nodes;
if(!((typeof data125 == "number") && (!(data125 % 1) && !isNaN(data125)))){
const err207 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err207];
}
else {
vErrors.push(err207);
}
errors++;
}
}
if(data76.upToDateNodes !== undefined){
let data126 = data76.upToDateNodes;
if(!((typeof data126 == "number") && (!(data126 % 1) && !isNaN(data126)))){
const err208 = {instancePath:instancePath+"/status/upToDateNodes",schemaPath:"#/properties/status/properties/upToDateNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err208];
}
else {
vErrors.push(err208);
}
errors++;
}
}
if(data76.driftedNodes !== undefined){
let data127 = data76.driftedNodes;
if(!((typeof data127 == "number") && (!(data127 % 1) && !isNaN(data127)))){
const err209 = {instancePath:instancePath+"/status/driftedNodes",schemaPath:"#/properties/status/properties/driftedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err209];
}
else {
vErrors.push(err209);
}
errors++;
}
}
if(data76.readyNodes !== undefined){
let data128 = data76.readyNodes;
if(!((typeof data128 == "number") && (!(data128 % 1) && !isNaN(data128)))){
const err210 = {instancePath:instancePath+"/status/readyNodes",schemaPath:"#/properties/status/properties/readyNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err210];
}
else {
vErrors.push(err210);
}
errors++;
}
}
if(data76.blockedNodes !== undefined){
let data129 = data76.blockedNodes;
if(!((typeof data129 == "number") && (!(data129 % 1) && !isNaN(data129)))){
const err211 = {instancePath:instancePath+"/status/blockedNodes",schemaPath:"#/properties/status/properties/blockedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err211];
}
else {
vErrors.push(err211);
}
errors++;
}
}
if(data76.blockedBy !== undefined){
let data130 = data76.blockedBy;
if(Array.isArray(data130)){
if(data130.length > 10){
const err212 = {instancePath:instancePath+"/status/blockedBy",schemaPath:"#/properties/status/properties/blockedBy/maxItems",keyword:"maxItems",params:{limit: 10},message:"must NOT have more than 10 items"};
if(vErrors === null){
vErrors = [err212];
}
else {
vErrors.push(err212);
}
errors++;
}
const len15 = data130.length;
for(let i15=0; i15<len15; i15++){
let data131 = data130[i15];
if(data131 && typeof data131 == "object" && !Array.isArray(data131)){
if(data131.reason === undefined){
const err213 = {instancePath:instancePath+"/status/blockedBy/" + i15,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err213];
}
else {
vErrors.push(err213);
}
errors++;
}
if(data131.nodes === undefined){
const err214 = {instancePath:instancePath+"/status/blockedBy/" + i15,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err214];
}
else {
vErrors.push(err214);
}
errors++;
}
if(data131.message === undefined){
const err215 = {instancePath:instancePath+"/status/blockedBy/" + i15,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err215];
}
else {
vErrors.push(err215);
}
errors++;
}
if(data131.reason !== undefined){
if(typeof data131.reason !== "string"){
const err216 = {instancePath:instancePath+"/status/blockedBy/" + i15+"/reason",schemaPath:"#/properties/status/properties/blockedBy/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err216];
}
else {
vErrors.push(err216);
}
errors++;
}
}
if(data131.nodes !== undefined){
let data133 = data131.nodes;
if(!((typeof data133 == "number") && (!(data133 % 1) && !isNaN(data133)))){
const err217 = {instancePath:instancePath+"/status/blockedBy/" + i15+"/nodes",schemaPath:"#/properties/status/properties/blockedBy/items/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err217];
}
else {
vErrors.push(err217);
}
errors++;
}
}
if(data131.message !== undefined){
let data134 = data131.message;
if(typeof data134 === "string"){
if(data134.length > 1024){
const err218 = {instancePath:instancePath+"/status/blockedBy/" + i15+"/message",schemaPath:"#/properties/status/properties/blockedBy/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err218];
}
else {
vErrors.push(err218);
}
errors++;
}
}
else {
const err219 = {instancePath:instancePath+"/status/blockedBy/" + i15+"/message",schemaPath:"#/properties/status/properties/blockedBy/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err219];
}
else {
vErrors.push(err219);
}
errors++;
}
}
}
else {
const err220 = {instancePath:instancePath+"/status/blockedBy/" + i15,schemaPath:"#/properties/status/properties/blockedBy/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err220];
}
else {
vErrors.push(err220);
}
errors++;
}
}
}
else {
const err221 = {instancePath:instancePath+"/status/blockedBy",schemaPath:"#/properties/status/properties/blockedBy/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err221];
}
else {
vErrors.push(err221);
}
errors++;
}
}
if(data76.pinnedImages !== undefined){
let data135 = data76.pinnedImages;
if(data135 && typeof data135 == "object" && !Array.isArray(data135)){
if(data135.images === undefined){
const err222 = {instancePath:instancePath+"/status/pinnedImages",schemaPath:"#/properties/status/properties/pinnedImages/required",keyword:"required",params:{missingProperty: "images"},message:"must have required property '"+"images"+"'"};
if(vErrors === null){
vErrors = [err222];
}
else {
vErrors.push(err222);
}
errors++;
}
if(data135.insteadOf === undefined){
const err223 = {instancePath:instancePath+"/status/pinnedImages",schemaPath:"#/properties/status/properties/pinnedImages/required",keyword:"required",params:{missingProperty: "insteadOf"},message:"must have required property '"+"insteadOf"+"'"};
if(vErrors === null){
vErrors = [err223];
}
else {
vErrors.push(err223);
}
errors++;
}
if(data135.reason === undefined){
const err224 = {instancePath:instancePath+"/status/pinnedImages",schemaPath:"#/properties/status/properties/pinnedImages/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err224];
}
else {
vErrors.push(err224);
}
errors++;
}
if(data135.images !== undefined){
let data136 = data135.images;
if(Array.isArray(data136)){
if(data136.length > 100){
const err225 = {instancePath:instancePath+"/status/pinnedImages/images",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err225];
}
else {
vErrors.push(err225);
}
errors++;
}
const len16 = data136.length;
for(let i16=0; i16<len16; i16++){
let data137 = data136[i16];
if(data137 && typeof data137 == "object" && !Array.isArray(data137)){
if(data137.id === undefined){
const err226 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16,schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
if(vErrors === null){
vErrors = [err226];
}
else {
vErrors.push(err226);
}
errors++;
}
if(data137.id !== undefined){
if(typeof data137.id !== "string"){
const err227 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/id",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err227];
}
else {
vErrors.push(err227);
}
errors++;
}
}
if(data137.name !== undefined){
if(typeof data137.name !== "string"){
const err228 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/name",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err228];
}
else {
vErrors.push(err228);
}
errors++;
}
}
if(data137.requirements !== undefined){
let data140 = data137.requirements;
if(Array.isArray(data140)){
if(data140.length > 100){
const err229 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err229];
}
else {
vErrors.push(err229);
}
errors++;
}
const len17 = data140.length;
for(let i17=0; i17<len17; i17++){
let data141 = data140[i17];
if(data141 && typeof data141 == "object" && !Array.isArray(data141)){
if(data141.key === undefined){
const err230 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements/" + i17,schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err230];
}
else {
vErrors.push(err230);
}
errors++;
}
if(data141.operator === undefined){
const err231 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements/" + i17,schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err231];
}
else {
vErrors.push(err231);
}
errors++;
}
if(data141.key !== undefined){
if(typeof data141.key !== "string"){
const err232 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements/" + i17+"/key",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err232];
}
else {
vErrors.push(err232);
}
errors++;
}
}
if(data141.operator !== undefined){
if(typeof data141.operator !== "string"){
const err233 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements/" + i17+"/operator",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err233];
}
else {
vErrors.push(err233);
}
errors++;
}
}
if(data141.values !== undefined){
let data144 = data141.values;
if(Array.isArray(data144)){
const len18 = data144.length;
for(let i18=0; i18<len18; i18++){
if(typeof data144[i18] !== "string"){
const err234 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements/" + i17+"/values/" + i18,schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err234];
}
else {
vErrors.push(err234);
}
errors++;
}
}
}
else {
const err235 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements/" + i17+"/values",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err235];
}
else {
vErrors.push(err235);
}
errors++;
}
}
}
else {
const err236 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements/" + i17,schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err236];
}
else {
vErrors.push(err236);
}
errors++;
}
}
}
else {
const err237 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16+"/requirements",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/properties/requirements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err237];
}
else {
vErrors.push(err237);
}
errors++;
}
}
}
else {
const err238 = {instancePath:instancePath+"/status/pinnedImages/images/" + i16,schemaPath:"#/properties/status/properties/pinnedImages/properties/images/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err238];
}
else {
vErrors.push(err238);
}
errors++;
}
}
}
else {
const err239 = {instancePath:instancePath+"/status/pinnedImages/images",schemaPath:"#/properties/status/properties/pinnedImages/properties/images/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err239];
}
else {
vErrors.push(err239);
}
errors++;
}
}
if(data135.insteadOf !== undefined){
if(typeof data135.insteadOf !== "string"){
const err240 = {instancePath:instancePath+"/status/pinnedImages/insteadOf",schemaPath:"#/properties/status/properties/pinnedImages/properties/insteadOf/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err240];
}
else {
vErrors.push(err240);
}
errors++;
}
}
if(data135.reason !== undefined){
let data147 = data135.reason;
if(typeof data147 === "string"){
if(data147.length > 1024){
const err241 = {instancePath:instancePath+"/status/pinnedImages/reason",schemaPath:"#/properties/status/properties/pinnedImages/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err241];
}
else {
vErrors.push(err241);
}
errors++;
}
}
else {
const err242 = {instancePath:instancePath+"/status/pinnedImages/reason",schemaPath:"#/properties/status/properties/pinnedImages/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err242];
}
else {
vErrors.push(err242);
}
errors++;
}
}
if(data135.gone !== undefined){
let data148 = data135.gone;
if(Array.isArray(data148)){
if(data148.length > 100){
const err243 = {instancePath:instancePath+"/status/pinnedImages/gone",schemaPath:"#/properties/status/properties/pinnedImages/properties/gone/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err243];
}
else {
vErrors.push(err243);
}
errors++;
}
const len19 = data148.length;
for(let i19=0; i19<len19; i19++){
if(typeof data148[i19] !== "string"){
const err244 = {instancePath:instancePath+"/status/pinnedImages/gone/" + i19,schemaPath:"#/properties/status/properties/pinnedImages/properties/gone/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err244];
}
else {
vErrors.push(err244);
}
errors++;
}
}
}
else {
const err245 = {instancePath:instancePath+"/status/pinnedImages/gone",schemaPath:"#/properties/status/properties/pinnedImages/properties/gone/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err245];
}
else {
vErrors.push(err245);
}
errors++;
}
}
if(data135.undoTo !== undefined){
let data150 = data135.undoTo;
if(!((typeof data150 == "number") && (!(data150 % 1) && !isNaN(data150)))){
const err246 = {instancePath:instancePath+"/status/pinnedImages/undoTo",schemaPath:"#/properties/status/properties/pinnedImages/properties/undoTo/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err246];
}
else {
vErrors.push(err246);
}
errors++;
}
}
}
else {
const err247 = {instancePath:instancePath+"/status/pinnedImages",schemaPath:"#/properties/status/properties/pinnedImages/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err247];
}
else {
vErrors.push(err247);
}
errors++;
}
}
if(data76.imageHistory !== undefined){
let data151 = data76.imageHistory;
if(Array.isArray(data151)){
if(data151.length > 10){
const err248 = {instancePath:instancePath+"/status/imageHistory",schemaPath:"#/properties/status/properties/imageHistory/maxItems",keyword:"maxItems",params:{limit: 10},message:"must NOT have more than 10 items"};
if(vErrors === null){
vErrors = [err248];
}
else {
vErrors.push(err248);
}
errors++;
}
const len20 = data151.length;
for(let i20=0; i20<len20; i20++){
let data152 = data151[i20];
if(data152 && typeof data152 == "object" && !Array.isArray(data152)){
if(data152.revision === undefined){
const err249 = {instancePath:instancePath+"/status/imageHistory/" + i20,schemaPath:"#/properties/status/properties/imageHistory/items/required",keyword:"required",params:{missingProperty: "revision"},message:"must have required property '"+"revision"+"'"};
if(vErrors === null){
vErrors = [err249];
}
else {
vErrors.push(err249);
}
errors++;
}
if(data152.images === undefined){
const err250 = {instancePath:instancePath+"/status/imageHistory/" + i20,schemaPath:"#/properties/status/properties/imageHistory/items/required",keyword:"required",params:{missingProperty: "images"},message:"must have required property '"+"images"+"'"};
if(vErrors === null){
vErrors = [err250];
}
else {
vErrors.push(err250);
}
errors++;
}
if(data152.firstSeen === undefined){
const err251 = {instancePath:instancePath+"/status/imageHistory/" + i20,schemaPath:"#/properties/status/properties/imageHistory/items/required",keyword:"required",params:{missingProperty: "firstSeen"},message:"must have required property '"+"firstSeen"+"'"};
if(vErrors === null){
vErrors = [err251];
}
else {
vErrors.push(err251);
}
errors++;
}
if(data152.outcome === undefined){
const err252 = {instancePath:instancePath+"/status/imageHistory/" + i20,schemaPath:"#/properties/status/properties/imageHistory/items/required",keyword:"required",params:{missingProperty: "outcome"},message:"must have required property '"+"outcome"+"'"};
if(vErrors === null){
vErrors = [err252];
}
else {
vErrors.push(err252);
}
errors++;
}
if(data152.revision !== undefined){
let data153 = data152.revision;
if(!((typeof data153 == "number") && (!(data153 % 1) && !isNaN(data153)))){
const err253 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/revision",schemaPath:"#/properties/status/properties/imageHistory/items/properties/revision/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err253];
}
else {
vErrors.push(err253);
}
errors++;
}
}
if(data152.images !== undefined){
let data154 = data152.images;
if(Array.isArray(data154)){
if(data154.length > 100){
const err254 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err254];
}
else {
vErrors.push(err254);
}
errors++;
}
const len21 = data154.length;
for(let i21=0; i21<len21; i21++){
let data155 = data154[i21];
if(data155 && typeof data155 == "object" && !Array.isArray(data155)){
if(data155.id === undefined){
const err255 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21,schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
if(vErrors === null){
vErrors = [err255];
}
else {
vErrors.push(err255);
}
errors++;
}
if(data155.id !== undefined){
if(typeof data155.id !== "string"){
const err256 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/id",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err256];
}
else {
vErrors.push(err256);
}
errors++;
}
}
if(data155.name !== undefined){
if(typeof data155.name !== "string"){
const err257 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/name",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err257];
}
else {
vErrors.push(err257);
}
errors++;
}
}
if(data155.requirements !== undefined){
let data158 = data155.requirements;
if(Array.isArray(data158)){
if(data158.length > 100){
const err258 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err258];
}
else {
vErrors.push(err258);
}
errors++;
}
const len22 = data158.length;
for(let i22=0; i22<len22; i22++){
let data159 = data158[i22];
if(data159 && typeof data159 == "object" && !Array.isArray(data159)){
if(data159.key === undefined){
const err259 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements/" + i22,schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err259];
}
else {
vErrors.push(err259);
}
errors++;
}
if(data159.operator === undefined){
const err260 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements/" + i22,schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err260];
}
else {
vErrors.push(err260);
}
errors++;
}
if(data159.key !== undefined){
if(typeof data159.key !== "string"){
const err261 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements/" + i22+"/key",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err261];
}
else {
vErrors.push(err261);
}
errors++;
}
}
if(data159.operator !== undefined){
if(typeof data159.operator !== "string"){
const err262 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements/" + i22+"/operator",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err262];
}
else {
vErrors.push(err262);
}
errors++;
}
}
if(data159.values !== undefined){
let data162 = data159.values;
if(Array.isArray(data162)){
const len23 = data162.length;
for(let i23=0; i23<len23; i23++){
if(typeof data162[i23] !== "string"){
const err263 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements/" + i22+"/values/" + i23,schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err263];
}
else {
vErrors.push(err263);
}
errors++;
}
}
}
else {
const err264 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements/" + i22+"/values",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err264];
}
else {
vErrors.push(err264);
}
errors++;
}
}
}
else {
const err265 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements/" + i22,schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err265];
}
else {
vErrors.push(err265);
}
errors++;
}
}
}
else {
const err266 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21+"/requirements",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/properties/requirements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err266];
}
else {
vErrors.push(err266);
}
errors++;
}
}
}
else {
const err267 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images/" + i21,schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err267];
}
else {
vErrors.push(err267);
}
errors++;
}
}
}
else {
const err268 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/images",schemaPath:"#/properties/status/properties/imageHistory/items/properties/images/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err268];
}
else {
vErrors.push(err268);
}
errors++;
}
}
if(data152.firstSeen !== undefined){
if(typeof data152.firstSeen !== "string"){
const err269 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/firstSeen",schemaPath:"#/properties/status/properties/imageHistory/items/properties/firstSeen/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err269];
}
else {
vErrors.push(err269);
}
errors++;
}
}
if(data152.made !== undefined){
if(typeof data152.made !== "string"){
const err270 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/made",schemaPath:"#/properties/status/properties/imageHistory/items/properties/made/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err270];
}
else {
vErrors.push(err270);
}
errors++;
}
}
if(data152.family !== undefined){
if(typeof data152.family !== "string"){
const err271 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/family",schemaPath:"#/properties/status/properties/imageHistory/items/properties/family/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err271];
}
else {
vErrors.push(err271);
}
errors++;
}
}
if(data152.outcome !== undefined){
let data167 = data152.outcome;
if(typeof data167 !== "string"){
const err272 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/outcome",schemaPath:"#/properties/status/properties/imageHistory/items/properties/outcome/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err272];
}
else {
vErrors.push(err272);
}
errors++;
}
if(!(((data167 === "good") || (data167 === "bad")) || (data167 === "unknown"))){
const err273 = {instancePath:instancePath+"/status/imageHistory/" + i20+"/outcome",schemaPath:"#/properties/status/properties/imageHistory/items/properties/outcome/enum",keyword:"enum",params:{allowedValues: schema14.properties.status.properties.imageHistory.items.properties.outcome.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err273];
}
else {
vErrors.push(err273);
}
errors++;
}
}
}
else {
const err274 = {instancePath:instancePath+"/status/imageHistory/" + i20,schemaPath:"#/properties/status/properties/imageHistory/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err274];
}
else {
vErrors.push(err274);
}
errors++;
}
}
}
else {
const err275 = {instancePath:instancePath+"/status/imageHistory",schemaPath:"#/properties/status/properties/imageHistory/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err275];
}
else {
vErrors.push(err275);
}
errors++;
}
}
}
else {
const err276 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err276];
}
else {
vErrors.push(err276);
}
errors++;
}
}
}
else {
const err277 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err277];
}
else {
vErrors.push(err277);
}
errors++;
}
validate13.errors = vErrors;
return errors === 0;
}

export const validateNodeClaim = validate14;
const schema15 = {"type":"object","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"const":"karpenter.sh/v1"},"kind":{"const":"NodeClaim"},"metadata":{"type":"object"},"spec":{"type":"object","required":["nodeClassRef","requirements"],"properties":{"nodeClassRef":{"type":"object","required":["group","kind","name"],"properties":{"group":{"type":"string","pattern":"^[^/]*$"},"kind":{"type":"string"},"name":{"type":"string"}}},"requirements":{"type":"array","maxItems":100,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"operator":{"type":"string","enum":["Gte","Lte","In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"array","items":{"type":"string"}},"minValues":{"type":"integer","minimum":1,"maximum":50}}}},"resources":{"type":"object","properties":{"requests":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}}}},"taints":{"type":"array","items":{"type":"object","required":["effect","key"],"properties":{"key":{"type":"string","minLength":1,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"value":{"type":"string","pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"effect":{"type":"string","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"string"}}}},"startupTaints":{"type":"array","items":{"type":"object","required":["effect","key"],"properties":{"key":{"type":"string","minLength":1,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"value":{"type":"string","pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"effect":{"type":"string","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"string"}}}},"expireAfter":{"type":"string","pattern":"^(([0-9]+(s|m|h))+|Never)$"},"terminationGracePeriod":{"type":"string","pattern":"^([0-9]+(s|m|h))+$"}}},"status":{"type":"object","properties":{"nodeName":{"type":"string"},"providerID":{"type":"string"},"imageID":{"type":"string"},"capacity":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}},"allocatable":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}},"lastPodEventTime":{"type":"string"},"conditions":{"type":"array","items":{"type":"object","required":["lastTransitionTime","status","type"],"properties":{"type":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},"status":{"type":"string","enum":["True","False","Unknown"]},"lastTransitionTime":{"type":"string"},"observedGeneration":{"type":"integer","minimum":0},"reason":{"type":"string","maxLength":1024,"pattern":"^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$"},"message":{"type":"string","maxLength":32768}}}}}}}};
const pattern51 = func2("^[^/]*$", "");
const pattern52 = func2("^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$", "");
const pattern63 = func2("^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$", "");

function validate14(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.apiVersion !== undefined){
if("karpenter.sh/v1" !== data.apiVersion){
const err4 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "karpenter.sh/v1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.kind !== undefined){
if("NodeClaim" !== data.kind){
const err5 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "NodeClaim"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
const err6 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.spec !== undefined){
let data3 = data.spec;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.nodeClassRef === undefined){
const err7 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "nodeClassRef"},message:"must have required property '"+"nodeClassRef"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data3.requirements === undefined){
const err8 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "requirements"},message:"must have required property '"+"requirements"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data3.nodeClassRef !== undefined){
let data4 = data3.nodeClassRef;
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.group === undefined){
const err9 = {instancePath:instancePath+"/spec/nodeClassRef",schemaPath:"#/properties/spec/properties/nodeClassRef/required",keyword:"required",params:{missingProperty: "group"},message:"must have required property '"+"group"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data4.kind === undefined){
const err10 = {instancePath:instancePath+"/spec/nodeClassRef",schemaPath:"#/properties/spec/properties/nodeClassRef/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(data4.name === undefined){
const err11 = {instancePath:instancePath+"/spec/nodeClassRef",schemaPath:"#/properties/spec/properties/nodeClassRef/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data4.group !== undefined){
let data5 = data4.group;
if(typeof data5 === "string"){
if(!pattern51.test(data5)){
const err12 = {instancePath:instancePath+"/spec/nodeClassRef/group",schemaPath:"#/properties/spec/properties/nodeClassRef/properties/group/pattern",keyword:"pattern",params:{pattern: "^[^/]*$"},message:"must match pattern \""+"^[^/]*$"+"\""};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
else {
const err13 = {instancePath:instancePath+"/spec/nodeClassRef/group",schemaPath:"#/properties/spec/properties/nodeClassRef/properties/group/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data4.kind !== undefined){
if(typeof data4.kind !== "string"){
const err14 = {instancePath:instancePath+"/spec/nodeClassRef/kind",schemaPath:"#/properties/spec/properties/nodeClassRef/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data4.name !== undefined){
if(typeof data4.name !== "string"){
const err15 = {instancePath:instancePath+"/spec/nodeClassRef/name",schemaPath:"#/properties/spec/properties/nodeClassRef/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
else {
const err16 = {instancePath:instancePath+"/spec/nodeClassRef",schemaPath:"#/properties/spec/properties/nodeClassRef/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data3.requirements !== undefined){
let data8 = data3.requirements;
if(Array.isArray(data8)){
if(data8.length > 100){
const err17 = {instancePath:instancePath+"/spec/requirements",schemaPath:"#/properties/spec/properties/requirements/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
const len0 = data8.length;
for(let i0=0; i0<len0; i0++){
let data9 = data8[i0];
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
if(data9.key === undefined){
const err18 = {instancePath:instancePath+"/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/requirements/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(data9.operator === undefined){
const err19 = {instancePath:instancePath+"/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/requirements/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data9.key !== undefined){
let data10 = data9.key;
if(typeof data10 === "string"){
if(data10.length > 316){
const err20 = {instancePath:instancePath+"/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/requirements/items/properties/key/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(!pattern52.test(data10)){
const err21 = {instancePath:instancePath+"/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/requirements/items/properties/key/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
else {
const err22 = {instancePath:instancePath+"/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/requirements/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
if(data9.operator !== undefined){
let data11 = data9.operator;
if(typeof data11 !== "string"){
const err23 = {instancePath:instancePath+"/spec/requirements/" + i0+"/operator",schemaPath:"#/properties/spec/properties/requirements/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if(!((((((((data11 === "Gte") || (data11 === "Lte")) || (data11 === "In")) || (data11 === "NotIn")) || (data11 === "Exists")) || (data11 === "DoesNotExist")) || (data11 === "Gt")) || (data11 === "Lt"))){
const err24 = {instancePath:instancePath+"/spec/requirements/" + i0+"/operator",schemaPath:"#/properties/spec/properties/requirements/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema15.properties.spec.properties.requirements.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data9.values !== undefined){
let data12 = data9.values;
if(Array.isArray(data12)){
const len1 = data12.length;
for(let i1=0; i1<len1; i1++){
if(typeof data12[i1] !== "string"){
const err25 = {instancePath:instancePath+"/spec/requirements/" + i0+"/values/" + i1,schemaPath:"#/properties/spec/properties/requirements/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath:instancePath+"/spec/requirements/" + i0+"/values",schemaPath:"#/properties/spec/properties/requirements/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data9.minValues !== undefined){
let data14 = data9.minValues;
if(!((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14)))){
const err27 = {instancePath:instancePath+"/spec/requirements/" + i0+"/minValues",schemaPath:"#/properties/spec/properties/requirements/items/properties/minValues/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
if(typeof data14 == "number"){
if(data14 > 50 || isNaN(data14)){
const err28 = {instancePath:instancePath+"/spec/requirements/" + i0+"/minValues",schemaPath:"#/properties/spec/properties/requirements/items/properties/minValues/maximum",keyword:"maximum",params:{comparison: "<=", limit: 50},message:"must be <= 50"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
if(data14 < 1 || isNaN(data14)){
const err29 = {instancePath:instancePath+"/spec/requirements/" + i0+"/minValues",schemaPath:"#/properties/spec/properties/requirements/items/properties/minValues/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
}
}
else {
const err30 = {instancePath:instancePath+"/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/requirements/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
}
else {
const err31 = {instancePath:instancePath+"/spec/requirements",schemaPath:"#/properties/spec/properties/requirements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
if(data3.resources !== undefined){
let data15 = data3.resources;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.requests !== undefined){
let data16 = data15.requests;
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
for(const key0 in data16){
let data17 = data16[key0];
const _errs35 = errors;
let valid10 = false;
const _errs36 = errors;
if(!((typeof data17 == "number") && (!(data17 % 1) && !isNaN(data17)))){
const err32 = {instancePath:instancePath+"/spec/resources/requests/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/resources/properties/requests/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
var _valid0 = _errs36 === errors;
valid10 = valid10 || _valid0;
if(!valid10){
const _errs38 = errors;
if(typeof data17 !== "string"){
const err33 = {instancePath:instancePath+"/spec/resources/requests/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/resources/properties/requests/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
var _valid0 = _errs38 === errors;
valid10 = valid10 || _valid0;
}
if(!valid10){
const err34 = {instancePath:instancePath+"/spec/resources/requests/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/resources/properties/requests/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
else {
errors = _errs35;
if(vErrors !== null){
if(_errs35){
vErrors.length = _errs35;
}
else {
vErrors = null;
}
}
}
if(typeof data17 === "string"){
if(!pattern0.test(data17)){
const err35 = {instancePath:instancePath+"/spec/resources/requests/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/resources/properties/requests/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
}
}
else {
const err36 = {instancePath:instancePath+"/spec/resources/requests",schemaPath:"#/properties/spec/properties/resources/properties/requests/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
}
else {
const err37 = {instancePath:instancePath+"/spec/resources",schemaPath:"#/properties/spec/properties/resources/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
if(data3.taints !== undefined){
let data18 = data3.taints;
if(Array.isArray(data18)){
const len2 = data18.length;
for(let i2=0; i2<len2; i2++){
let data19 = data18[i2];
if(data19 && typeof data19 == "object" && !Array.isArray(data19)){
if(data19.effect === undefined){
const err38 = {instancePath:instancePath+"/spec/taints/" + i2,schemaPath:"#/properties/spec/properties/taints/items/required",keyword:"required",params:{missingProperty: "effect"},message:"must have required property '"+"effect"+"'"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if(data19.key === undefined){
const err39 = {instancePath:instancePath+"/spec/taints/" + i2,schemaPath:"#/properties/spec/properties/taints/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
if(data19.key !== undefined){
let data20 = data19.key;
if(typeof data20 === "string"){
if(data20.length < 1){
const err40 = {instancePath:instancePath+"/spec/taints/" + i2+"/key",schemaPath:"#/properties/spec/properties/taints/items/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
if(!pattern52.test(data20)){
const err41 = {instancePath:instancePath+"/spec/taints/" + i2+"/key",schemaPath:"#/properties/spec/properties/taints/items/properties/key/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
else {
const err42 = {instancePath:instancePath+"/spec/taints/" + i2+"/key",schemaPath:"#/properties/spec/properties/taints/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data19.value !== undefined){
let data21 = data19.value;
if(typeof data21 === "string"){
if(!pattern52.test(data21)){
const err43 = {instancePath:instancePath+"/spec/taints/" + i2+"/value",schemaPath:"#/properties/spec/properties/taints/items/properties/value/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
else {
const err44 = {instancePath:instancePath+"/spec/taints/" + i2+"/value",schemaPath:"#/properties/spec/properties/taints/items/properties/value/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
if(data19.effect !== undefined){
let data22 = data19.effect;
if(typeof data22 !== "string"){
const err45 = {instancePath:instancePath+"/spec/taints/" + i2+"/effect",schemaPath:"#/properties/spec/properties/taints/items/properties/effect/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
if(!(((data22 === "NoSchedule") || (data22 === "PreferNoSchedule")) || (data22 === "NoExecute"))){
const err46 = {instancePath:instancePath+"/spec/taints/" + i2+"/effect",schemaPath:"#/properties/spec/properties/taints/items/properties/effect/enum",keyword:"enum",params:{allowedValues: schema15.properties.spec.properties.taints.items.properties.effect.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
if(data19.timeAdded !== undefined){
if(typeof data19.timeAdded !== "string"){
const err47 = {instancePath:instancePath+"/spec/taints/" + i2+"/timeAdded",schemaPath:"#/properties/spec/properties/taints/items/properties/timeAdded/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
}
else {
const err48 = {instancePath:instancePath+"/spec/taints/" + i2,schemaPath:"#/properties/spec/properties/taints/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
}
else {
const err49 = {instancePath:instancePath+"/spec/taints",schemaPath:"#/properties/spec/properties/taints/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data3.startupTaints !== undefined){
let data24 = data3.startupTaints;
if(Array.isArray(data24)){
const len3 = data24.length;
for(let i3=0; i3<len3; i3++){
let data25 = data24[i3];
if(data25 && typeof data25 == "object" && !Array.isArray(data25)){
if(data25.effect === undefined){
const err50 = {instancePath:instancePath+"/spec/startupTaints/" + i3,schemaPath:"#/properties/spec/properties/startupTaints/items/required",keyword:"required",params:{missingProperty: "effect"},message:"must have required property '"+"effect"+"'"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
if(data25.key === undefined){
const err51 = {instancePath:instancePath+"/spec/startupTaints/" + i3,schemaPath:"#/properties/spec/properties/startupTaints/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
if(data25.key !== undefined){
let data26 = data25.key;
if(typeof data26 === "string"){
if(data26.length < 1){
const err52 = {instancePath:instancePath+"/spec/startupTaints/" + i3+"/key",schemaPath:"#/properties/spec/properties/startupTaints/items/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
if(!pattern52.test(data26)){
const err53 = {instancePath:instancePath+"/spec/startupTaints/" + i3+"/key",schemaPath:"#/properties/spec/properties/startupTaints/items/properties/key/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
else {
const err54 = {instancePath:instancePath+"/spec/startupTaints/" + i3+"/key",schemaPath:"#/properties/spec/properties/startupTaints/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
if(data25.value !== undefined){
let data27 = data25.value;
if(typeof data27 === "string"){
if(!pattern52.test(data27)){
const err55 = {instancePath:instancePath+"/spec/startupTaints/" + i3+"/value",schemaPath:"#/properties/spec/properties/startupTaints/items/properties/value/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
else {
const err56 = {instancePath:instancePath+"/spec/startupTaints/" + i3+"/value",schemaPath:"#/properties/spec/properties/startupTaints/items/properties/value/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
if(data25.effect !== undefined){
let data28 = data25.effect;
if(typeof data28 !== "string"){
const err57 = {instancePath:instancePath+"/spec/startupTaints/" + i3+"/effect",schemaPath:"#/properties/spec/properties/startupTaints/items/properties/effect/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
if(!(((data28 === "NoSchedule") || (data28 === "PreferNoSchedule")) || (data28 === "NoExecute"))){
const err58 = {instancePath:instancePath+"/spec/startupTaints/" + i3+"/effect",schemaPath:"#/properties/spec/properties/startupTaints/items/properties/effect/enum",keyword:"enum",params:{allowedValues: schema15.properties.spec.properties.startupTaints.items.properties.effect.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
if(data25.timeAdded !== undefined){
if(typeof data25.timeAdded !== "string"){
const err59 = {instancePath:instancePath+"/spec/startupTaints/" + i3+"/timeAdded",schemaPath:"#/properties/spec/properties/startupTaints/items/properties/timeAdded/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
}
}
else {
const err60 = {instancePath:instancePath+"/spec/startupTaints/" + i3,schemaPath:"#/properties/spec/properties/startupTaints/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
}
else {
const err61 = {instancePath:instancePath+"/spec/startupTaints",schemaPath:"#/properties/spec/properties/startupTaints/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
if(data3.expireAfter !== undefined){
let data30 = data3.expireAfter;
if(typeof data30 === "string"){
if(!pattern27.test(data30)){
const err62 = {instancePath:instancePath+"/spec/expireAfter",schemaPath:"#/properties/spec/properties/expireAfter/pattern",keyword:"pattern",params:{pattern: "^(([0-9]+(s|m|h))+|Never)$"},message:"must match pattern \""+"^(([0-9]+(s|m|h))+|Never)$"+"\""};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
else {
const err63 = {instancePath:instancePath+"/spec/expireAfter",schemaPath:"#/properties/spec/properties/expireAfter/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
if(data3.terminationGracePeriod !== undefined){
let data31 = data3.terminationGracePeriod;
if(typeof data31 === "string"){
if(!pattern11.test(data31)){
const err64 = {instancePath:instancePath+"/spec/terminationGracePeriod",schemaPath:"#/properties/spec/properties/terminationGracePeriod/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
else {
const err65 = {instancePath:instancePath+"/spec/terminationGracePeriod",schemaPath:"#/properties/spec/properties/terminationGracePeriod/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
}
else {
const err66 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
}
if(data.status !== undefined){
let data32 = data.status;
if(data32 && typeof data32 == "object" && !Array.isArray(data32)){
if(data32.nodeName !== undefined){
if(typeof data32.nodeName !== "string"){
const err67 = {instancePath:instancePath+"/status/nodeName",schemaPath:"#/properties/status/properties/nodeName/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
if(data32.providerID !== undefined){
if(typeof data32.providerID !== "string"){
const err68 = {instancePath:instancePath+"/status/providerID",schemaPath:"#/properties/status/properties/providerID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
}
if(data32.imageID !== undefined){
if(typeof data32.imageID !== "string"){
const err69 = {instancePath:instancePath+"/status/imageID",schemaPath:"#/properties/status/properties/imageID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
if(data32.capacity !== undefined){
let data36 = data32.capacity;
if(data36 && typeof data36 == "object" && !Array.isArray(data36)){
for(const key1 in data36){
let data37 = data36[key1];
const _errs80 = errors;
let valid19 = false;
const _errs81 = errors;
if(!((typeof data37 == "number") && (!(data37 % 1) && !isNaN(data37)))){
const err70 = {instancePath:instancePath+"/status/capacity/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/capacity/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
var _valid1 = _errs81 === errors;
valid19 = valid19 || _valid1;
if(!valid19){
const _errs83 = errors;
if(typeof data37 !== "string"){
const err71 = {instancePath:instancePath+"/status/capacity/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/capacity/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
var _valid1 = _errs83 === errors;
valid19 = valid19 || _valid1;
}
if(!valid19){
const err72 = {instancePath:instancePath+"/status/capacity/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/capacity/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
else {
errors = _errs80;
if(vErrors !== null){
if(_errs80){
vErrors.length = _errs80;
}
else {
vErrors = null;
}
}
}
if(typeof data37 === "string"){
if(!pattern0.test(data37)){
const err73 = {instancePath:instancePath+"/status/capacity/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/capacity/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
}
}
else {
const err74 = {instancePath:instancePath+"/status/capacity",schemaPath:"#/properties/status/properties/capacity/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data32.allocatable !== undefined){
let data38 = data32.allocatable;
if(data38 && typeof data38 == "object" && !Array.isArray(data38)){
for(const key2 in data38){
let data39 = data38[key2];
const _errs89 = errors;
let valid21 = false;
const _errs90 = errors;
if(!((typeof data39 == "number") && (!(data39 % 1) && !isNaN(data39)))){
const err75 = {instancePath:instancePath+"/status/allocatable/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/allocatable/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
var _valid2 = _errs90 === errors;
valid21 = valid21 || _valid2;
if(!valid21){
const _errs92 = errors;
if(typeof data39 !== "string"){
const err76 = {instancePath:instancePath+"/status/allocatable/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/allocatable/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
var _valid2 = _errs92 === errors;
valid21 = valid21 || _valid2;
}
if(!valid21){
const err77 = {instancePath:instancePath+"/status/allocatable/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/allocatable/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
else {
errors = _errs89;
if(vErrors !== null){
if(_errs89){
vErrors.length = _errs89;
}
else {
vErrors = null;
}
}
}
if(typeof data39 === "string"){
if(!pattern0.test(data39)){
const err78 = {instancePath:instancePath+"/status/allocatable/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/allocatable/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
}
}
else {
const err79 = {instancePath:instancePath+"/status/allocatable",schemaPath:"#/properties/status/properties/allocatable/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
if(data32.lastPodEventTime !== undefined){
if(typeof data32.lastPodEventTime !== "string"){
const err80 = {instancePath:instancePath+"/status/lastPodEventTime",schemaPath:"#/properties/status/properties/lastPodEventTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
if(data32.conditions !== undefined){
let data41 = data32.conditions;
if(Array.isArray(data41)){
const len4 = data41.length;
for(let i4=0; i4<len4; i4++){
let data42 = data41[i4];
if(data42 && typeof data42 == "object" && !Array.isArray(data42)){
if(data42.lastTransitionTime === undefined){
const err81 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
if(data42.status === undefined){
const err82 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
if(data42.type === undefined){
const err83 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
if(data42.type !== undefined){
let data43 = data42.type;
if(typeof data43 === "string"){
if(data43.length > 316){
const err84 = {instancePath:instancePath+"/status/conditions/" + i4+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
if(!pattern1.test(data43)){
const err85 = {instancePath:instancePath+"/status/conditions/" + i4+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"+"\""};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
else {
const err86 = {instancePath:instancePath+"/status/conditions/" + i4+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
if(data42.status !== undefined){
let data44 = data42.status;
if(typeof data44 !== "string"){
const err87 = {instancePath:instancePath+"/status/conditions/" + i4+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
if(!(((data44 === "True") || (data44 === "False")) || (data44 === "Unknown"))){
const err88 = {instancePath:instancePath+"/status/conditions/" + i4+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema15.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
}
if(data42.lastTransitionTime !== undefined){
if(typeof data42.lastTransitionTime !== "string"){
const err89 = {instancePath:instancePath+"/status/conditions/" + i4+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
}
if(data42.observedGeneration !== undefined){
let data46 = data42.observedGeneration;
if(!((typeof data46 == "number") && (!(data46 % 1) && !isNaN(data46)))){
const err90 = {instancePath:instancePath+"/status/conditions/" + i4+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
if(typeof data46 == "number"){
if(data46 < 0 || isNaN(data46)){
const err91 = {instancePath:instancePath+"/status/conditions/" + i4+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
}
}
if(data42.reason !== undefined){
let data47 = data42.reason;
if(typeof data47 === "string"){
if(data47.length > 1024){
const err92 = {instancePath:instancePath+"/status/conditions/" + i4+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
if(!pattern63.test(data47)){
const err93 = {instancePath:instancePath+"/status/conditions/" + i4+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/pattern",keyword:"pattern",params:{pattern: "^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$"},message:"must match pattern \""+"^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$"+"\""};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
}
else {
const err94 = {instancePath:instancePath+"/status/conditions/" + i4+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
}
if(data42.message !== undefined){
let data48 = data42.message;
if(typeof data48 === "string"){
if(data48.length > 32768){
const err95 = {instancePath:instancePath+"/status/conditions/" + i4+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
}
else {
const err96 = {instancePath:instancePath+"/status/conditions/" + i4+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
}
}
else {
const err97 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
}
}
else {
const err98 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
}
else {
const err99 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
}
else {
const err100 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
validate14.errors = vErrors;
return errors === 0;
}

export const validateNodePool = validate15;
const schema16 = {"type":"object","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"const":"karpenter.sh/v1"},"kind":{"const":"NodePool"},"metadata":{"type":"object"},"spec":{"type":"object","required":["template"],"properties":{"template":{"type":"object","required":["spec"],"properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object","maxProperties":100,"additionalProperties":{"type":"string","maxLength":63,"pattern":"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}}}},"spec":{"type":"object","required":["nodeClassRef","requirements"],"properties":{"nodeClassRef":{"type":"object","required":["group","kind","name"],"properties":{"group":{"type":"string","pattern":"^[^/]*$"},"kind":{"type":"string"},"name":{"type":"string"}}},"requirements":{"type":"array","maxItems":100,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"operator":{"type":"string","enum":["Gte","Lte","In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"array","items":{"type":"string"}},"minValues":{"type":"integer","minimum":1,"maximum":50}}}},"taints":{"type":"array","items":{"type":"object","required":["effect","key"],"properties":{"key":{"type":"string","minLength":1,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"value":{"type":"string","pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"effect":{"type":"string","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"string"}}}},"startupTaints":{"type":"array","items":{"type":"object","required":["effect","key"],"properties":{"key":{"type":"string","minLength":1,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"value":{"type":"string","pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"effect":{"type":"string","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"timeAdded":{"type":"string"}}}},"expireAfter":{"type":"string","pattern":"^(([0-9]+(s|m|h))+|Never)$"},"terminationGracePeriod":{"type":"string","pattern":"^([0-9]+(s|m|h))+$"}}}}},"disruption":{"type":"object","required":["consolidateAfter"],"properties":{"consolidateAfter":{"type":"string","pattern":"^(([0-9]+(s|m|h))+|Never)$"},"consolidationPolicy":{"type":"string","enum":["WhenEmpty","WhenEmptyOrUnderutilized","Balanced"]},"budgets":{"type":"array","maxItems":50,"items":{"type":"object","required":["nodes"],"properties":{"nodes":{"type":"string","pattern":"^((100|[0-9]{1,2})%|[0-9]+)$"},"reasons":{"type":"array","maxItems":50,"items":{"type":"string","enum":["Underutilized","Empty","Drifted"]}},"schedule":{"type":"string","pattern":"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$"},"duration":{"type":"string","pattern":"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$"}}}}}},"limits":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}},"weight":{"type":"integer","minimum":1,"maximum":100},"replicas":{"type":"integer","minimum":0}}},"status":{"type":"object","properties":{"resources":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}},"nodes":{"type":"integer"},"nodeClassObservedGeneration":{"type":"integer"},"conditions":{"type":"array","items":{"type":"object","required":["lastTransitionTime","message","reason","status","type"],"properties":{"type":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},"status":{"type":"string","enum":["True","False","Unknown"]},"lastTransitionTime":{"type":"string"},"observedGeneration":{"type":"integer","minimum":0},"reason":{"type":"string","minLength":1,"maxLength":1024,"pattern":"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},"message":{"type":"string","maxLength":32768}}}},"observedGeneration":{"type":"integer"},"currentHash":{"type":"string"},"targetHash":{"type":"string"},"target":{"type":"string"},"upToDateNodes":{"type":"integer"},"driftedNodes":{"type":"integer"},"readyNodes":{"type":"integer"},"blockedNodes":{"type":"integer"},"blockedBy":{"type":"array","maxItems":10,"items":{"type":"object","required":["reason","nodes","message"],"properties":{"reason":{"type":"string"},"nodes":{"type":"integer"},"message":{"type":"string","maxLength":1024}}}},"rollout":{"type":"object","properties":{"policy":{"type":"string"},"phase":{"type":"string","enum":["Idle","Waiting","AwaitingApproval","Progressing","Soaking","Paused","Halted","RollingBack","Completed"]},"reason":{"type":"string"},"message":{"type":"string","maxLength":32768},"revision":{"type":"string"},"step":{"type":"integer"},"steps":{"type":"integer"},"totalNodes":{"type":"integer"},"updatedNodes":{"type":"integer"},"startTime":{"type":"string"},"stepStartTime":{"type":"string"},"completionTime":{"type":"string"}}}}}}};
const pattern64 = func2("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "");
const pattern75 = func2("^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$", "");
const pattern76 = func2("^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$", "");

function validate15(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.apiVersion !== undefined){
if("karpenter.sh/v1" !== data.apiVersion){
const err4 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "karpenter.sh/v1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.kind !== undefined){
if("NodePool" !== data.kind){
const err5 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "NodePool"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
const err6 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.spec !== undefined){
let data3 = data.spec;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.template === undefined){
const err7 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "template"},message:"must have required property '"+"template"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data3.template !== undefined){
let data4 = data3.template;
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.spec === undefined){
const err8 = {instancePath:instancePath+"/spec/template",schemaPath:"#/properties/spec/properties/template/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data4.metadata !== undefined){
let data5 = data4.metadata;
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
if(data5.labels !== undefined){
let data6 = data5.labels;
if(data6 && typeof data6 == "object" && !Array.isArray(data6)){
if(Object.keys(data6).length > 100){
const err9 = {instancePath:instancePath+"/spec/template/metadata/labels",schemaPath:"#/properties/spec/properties/template/properties/metadata/properties/labels/maxProperties",keyword:"maxProperties",params:{limit: 100},message:"must NOT have more than 100 properties"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
for(const key0 in data6){
let data7 = data6[key0];
if(typeof data7 === "string"){
if(data7.length > 63){
const err10 = {instancePath:instancePath+"/spec/template/metadata/labels/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/template/properties/metadata/properties/labels/additionalProperties/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(!pattern64.test(data7)){
const err11 = {instancePath:instancePath+"/spec/template/metadata/labels/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/template/properties/metadata/properties/labels/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"},message:"must match pattern \""+"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
else {
const err12 = {instancePath:instancePath+"/spec/template/metadata/labels/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/template/properties/metadata/properties/labels/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
else {
const err13 = {instancePath:instancePath+"/spec/template/metadata/labels",schemaPath:"#/properties/spec/properties/template/properties/metadata/properties/labels/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data5.annotations !== undefined){
let data8 = data5.annotations;
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
for(const key1 in data8){
if(typeof data8[key1] !== "string"){
const err14 = {instancePath:instancePath+"/spec/template/metadata/annotations/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/template/properties/metadata/properties/annotations/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
else {
const err15 = {instancePath:instancePath+"/spec/template/metadata/annotations",schemaPath:"#/properties/spec/properties/template/properties/metadata/properties/annotations/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
else {
const err16 = {instancePath:instancePath+"/spec/template/metadata",schemaPath:"#/properties/spec/properties/template/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data4.spec !== undefined){
let data10 = data4.spec;
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.nodeClassRef === undefined){
const err17 = {instancePath:instancePath+"/spec/template/spec",schemaPath:"#/properties/spec/properties/template/properties/spec/required",keyword:"required",params:{missingProperty: "nodeClassRef"},message:"must have required property '"+"nodeClassRef"+"'"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
if(data10.requirements === undefined){
const err18 = {instancePath:instancePath+"/spec/template/spec",schemaPath:"#/properties/spec/properties/template/properties/spec/required",keyword:"required",params:{missingProperty: "requirements"},message:"must have required property '"+"requirements"+"'"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(data10.nodeClassRef !== undefined){
let data11 = data10.nodeClassRef;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
if(data11.group === undefined){
const err19 = {instancePath:instancePath+"/spec/template/spec/nodeClassRef",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/nodeClassRef/required",keyword:"required",params:{missingProperty: "group"},message:"must have required property '"+"group"+"'"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data11.kind === undefined){
const err20 = {instancePath:instancePath+"/spec/template/spec/nodeClassRef",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/nodeClassRef/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(data11.name === undefined){
const err21 = {instancePath:instancePath+"/spec/template/spec/nodeClassRef",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/nodeClassRef/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(data11.group !== undefined){
let data12 = data11.group;
if(typeof data12 === "string"){
if(!pattern51.test(data12)){
const err22 = {instancePath:instancePath+"/spec/template/spec/nodeClassRef/group",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/nodeClassRef/properties/group/pattern",keyword:"pattern",params:{pattern: "^[^/]*$"},message:"must match pattern \""+"^[^/]*$"+"\""};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
else {
const err23 = {instancePath:instancePath+"/spec/template/spec/nodeClassRef/group",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/nodeClassRef/properties/group/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data11.kind !== undefined){
if(typeof data11.kind !== "string"){
const err24 = {instancePath:instancePath+"/spec/template/spec/nodeClassRef/kind",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/nodeClassRef/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data11.name !== undefined){
if(typeof data11.name !== "string"){
const err25 = {instancePath:instancePath+"/spec/template/spec/nodeClassRef/name",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/nodeClassRef/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath:instancePath+"/spec/template/spec/nodeClassRef",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/nodeClassRef/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data10.requirements !== undefined){
let data15 = data10.requirements;
if(Array.isArray(data15)){
if(data15.length > 100){
const err27 = {instancePath:instancePath+"/spec/template/spec/requirements",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
const len0 = data15.length;
for(let i0=0; i0<len0; i0++){
let data16 = data15[i0];
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
if(data16.key === undefined){
const err28 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
if(data16.operator === undefined){
const err29 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
if(data16.key !== undefined){
let data17 = data16.key;
if(typeof data17 === "string"){
if(data17.length > 316){
const err30 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/key/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
if(!pattern52.test(data17)){
const err31 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/key/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
else {
const err32 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
if(data16.operator !== undefined){
let data18 = data16.operator;
if(typeof data18 !== "string"){
const err33 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/operator",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
if(!((((((((data18 === "Gte") || (data18 === "Lte")) || (data18 === "In")) || (data18 === "NotIn")) || (data18 === "Exists")) || (data18 === "DoesNotExist")) || (data18 === "Gt")) || (data18 === "Lt"))){
const err34 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/operator",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema16.properties.spec.properties.template.properties.spec.properties.requirements.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data16.values !== undefined){
let data19 = data16.values;
if(Array.isArray(data19)){
const len1 = data19.length;
for(let i1=0; i1<len1; i1++){
if(typeof data19[i1] !== "string"){
const err35 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/values/" + i1,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
}
else {
const err36 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/values",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
if(data16.minValues !== undefined){
let data21 = data16.minValues;
if(!((typeof data21 == "number") && (!(data21 % 1) && !isNaN(data21)))){
const err37 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/minValues",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/minValues/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
if(typeof data21 == "number"){
if(data21 > 50 || isNaN(data21)){
const err38 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/minValues",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/minValues/maximum",keyword:"maximum",params:{comparison: "<=", limit: 50},message:"must be <= 50"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if(data21 < 1 || isNaN(data21)){
const err39 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0+"/minValues",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/properties/minValues/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
}
}
else {
const err40 = {instancePath:instancePath+"/spec/template/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
}
else {
const err41 = {instancePath:instancePath+"/spec/template/spec/requirements",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/requirements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
if(data10.taints !== undefined){
let data22 = data10.taints;
if(Array.isArray(data22)){
const len2 = data22.length;
for(let i2=0; i2<len2; i2++){
let data23 = data22[i2];
if(data23 && typeof data23 == "object" && !Array.isArray(data23)){
if(data23.effect === undefined){
const err42 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/required",keyword:"required",params:{missingProperty: "effect"},message:"must have required property '"+"effect"+"'"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
if(data23.key === undefined){
const err43 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
if(data23.key !== undefined){
let data24 = data23.key;
if(typeof data24 === "string"){
if(data24.length < 1){
const err44 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
if(!pattern52.test(data24)){
const err45 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/properties/key/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
else {
const err46 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
if(data23.value !== undefined){
let data25 = data23.value;
if(typeof data25 === "string"){
if(!pattern52.test(data25)){
const err47 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2+"/value",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/properties/value/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
else {
const err48 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2+"/value",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/properties/value/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
if(data23.effect !== undefined){
let data26 = data23.effect;
if(typeof data26 !== "string"){
const err49 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2+"/effect",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/properties/effect/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
if(!(((data26 === "NoSchedule") || (data26 === "PreferNoSchedule")) || (data26 === "NoExecute"))){
const err50 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2+"/effect",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/properties/effect/enum",keyword:"enum",params:{allowedValues: schema16.properties.spec.properties.template.properties.spec.properties.taints.items.properties.effect.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
if(data23.timeAdded !== undefined){
if(typeof data23.timeAdded !== "string"){
const err51 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2+"/timeAdded",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/properties/timeAdded/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
}
else {
const err52 = {instancePath:instancePath+"/spec/template/spec/taints/" + i2,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
}
else {
const err53 = {instancePath:instancePath+"/spec/template/spec/taints",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/taints/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
if(data10.startupTaints !== undefined){
let data28 = data10.startupTaints;
if(Array.isArray(data28)){
const len3 = data28.length;
for(let i3=0; i3<len3; i3++){
let data29 = data28[i3];
if(data29 && typeof data29 == "object" && !Array.isArray(data29)){
if(data29.effect === undefined){
const err54 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/required",keyword:"required",params:{missingProperty: "effect"},message:"must have required property '"+"effect"+"'"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
if(data29.key === undefined){
const err55 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
if(data29.key !== undefined){
let data30 = data29.key;
if(typeof data30 === "string"){
if(data30.length < 1){
const err56 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
if(!pattern52.test(data30)){
const err57 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/properties/key/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
else {
const err58 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3+"/key",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
if(data29.value !== undefined){
let data31 = data29.value;
if(typeof data31 === "string"){
if(!pattern52.test(data31)){
const err59 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3+"/value",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/properties/value/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
}
else {
const err60 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3+"/value",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/properties/value/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
if(data29.effect !== undefined){
let data32 = data29.effect;
if(typeof data32 !== "string"){
const err61 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3+"/effect",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/properties/effect/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
if(!(((data32 === "NoSchedule") || (data32 === "PreferNoSchedule")) || (data32 === "NoExecute"))){
const err62 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3+"/effect",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/properties/effect/enum",keyword:"enum",params:{allowedValues: schema16.properties.spec.properties.template.properties.spec.properties.startupTaints.items.properties.effect.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
if(data29.timeAdded !== undefined){
if(typeof data29.timeAdded !== "string"){
const err63 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3+"/timeAdded",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/properties/timeAdded/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
}
else {
const err64 = {instancePath:instancePath+"/spec/template/spec/startupTaints/" + i3,schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
}
else {
const err65 = {instancePath:instancePath+"/spec/template/spec/startupTaints",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/startupTaints/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
if(data10.expireAfter !== undefined){
let data34 = data10.expireAfter;
if(typeof data34 === "string"){
if(!pattern27.test(data34)){
const err66 = {instancePath:instancePath+"/spec/template/spec/expireAfter",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/expireAfter/pattern",keyword:"pattern",params:{pattern: "^(([0-9]+(s|m|h))+|Never)$"},message:"must match pattern \""+"^(([0-9]+(s|m|h))+|Never)$"+"\""};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
}
else {
const err67 = {instancePath:instancePath+"/spec/template/spec/expireAfter",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/expireAfter/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
if(data10.terminationGracePeriod !== undefined){
let data35 = data10.terminationGracePeriod;
if(typeof data35 === "string"){
if(!pattern11.test(data35)){
const err68 = {instancePath:instancePath+"/spec/template/spec/terminationGracePeriod",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/terminationGracePeriod/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(s|m|h))+$"},message:"must match pattern \""+"^([0-9]+(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
}
else {
const err69 = {instancePath:instancePath+"/spec/template/spec/terminationGracePeriod",schemaPath:"#/properties/spec/properties/template/properties/spec/properties/terminationGracePeriod/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
}
else {
const err70 = {instancePath:instancePath+"/spec/template/spec",schemaPath:"#/properties/spec/properties/template/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
}
else {
const err71 = {instancePath:instancePath+"/spec/template",schemaPath:"#/properties/spec/properties/template/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
}
if(data3.disruption !== undefined){
let data36 = data3.disruption;
if(data36 && typeof data36 == "object" && !Array.isArray(data36)){
if(data36.consolidateAfter === undefined){
const err72 = {instancePath:instancePath+"/spec/disruption",schemaPath:"#/properties/spec/properties/disruption/required",keyword:"required",params:{missingProperty: "consolidateAfter"},message:"must have required property '"+"consolidateAfter"+"'"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
if(data36.consolidateAfter !== undefined){
let data37 = data36.consolidateAfter;
if(typeof data37 === "string"){
if(!pattern27.test(data37)){
const err73 = {instancePath:instancePath+"/spec/disruption/consolidateAfter",schemaPath:"#/properties/spec/properties/disruption/properties/consolidateAfter/pattern",keyword:"pattern",params:{pattern: "^(([0-9]+(s|m|h))+|Never)$"},message:"must match pattern \""+"^(([0-9]+(s|m|h))+|Never)$"+"\""};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
else {
const err74 = {instancePath:instancePath+"/spec/disruption/consolidateAfter",schemaPath:"#/properties/spec/properties/disruption/properties/consolidateAfter/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data36.consolidationPolicy !== undefined){
let data38 = data36.consolidationPolicy;
if(typeof data38 !== "string"){
const err75 = {instancePath:instancePath+"/spec/disruption/consolidationPolicy",schemaPath:"#/properties/spec/properties/disruption/properties/consolidationPolicy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
if(!(((data38 === "WhenEmpty") || (data38 === "WhenEmptyOrUnderutilized")) || (data38 === "Balanced"))){
const err76 = {instancePath:instancePath+"/spec/disruption/consolidationPolicy",schemaPath:"#/properties/spec/properties/disruption/properties/consolidationPolicy/enum",keyword:"enum",params:{allowedValues: schema16.properties.spec.properties.disruption.properties.consolidationPolicy.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
if(data36.budgets !== undefined){
let data39 = data36.budgets;
if(Array.isArray(data39)){
if(data39.length > 50){
const err77 = {instancePath:instancePath+"/spec/disruption/budgets",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
const len4 = data39.length;
for(let i4=0; i4<len4; i4++){
let data40 = data39[i4];
if(data40 && typeof data40 == "object" && !Array.isArray(data40)){
if(data40.nodes === undefined){
const err78 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4,schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
if(data40.nodes !== undefined){
let data41 = data40.nodes;
if(typeof data41 === "string"){
if(!pattern13.test(data41)){
const err79 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/nodes",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/nodes/pattern",keyword:"pattern",params:{pattern: "^((100|[0-9]{1,2})%|[0-9]+)$"},message:"must match pattern \""+"^((100|[0-9]{1,2})%|[0-9]+)$"+"\""};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
else {
const err80 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/nodes",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/nodes/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
if(data40.reasons !== undefined){
let data42 = data40.reasons;
if(Array.isArray(data42)){
if(data42.length > 50){
const err81 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/reasons",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/reasons/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
const len5 = data42.length;
for(let i5=0; i5<len5; i5++){
let data43 = data42[i5];
if(typeof data43 !== "string"){
const err82 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/reasons/" + i5,schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/reasons/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
if(!(((data43 === "Underutilized") || (data43 === "Empty")) || (data43 === "Drifted"))){
const err83 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/reasons/" + i5,schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/reasons/items/enum",keyword:"enum",params:{allowedValues: schema16.properties.spec.properties.disruption.properties.budgets.items.properties.reasons.items.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
}
else {
const err84 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/reasons",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/reasons/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
if(data40.schedule !== undefined){
let data44 = data40.schedule;
if(typeof data44 === "string"){
if(!pattern75.test(data44)){
const err85 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/schedule",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$"},message:"must match pattern \""+"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$"+"\""};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
else {
const err86 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/schedule",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
if(data40.duration !== undefined){
let data45 = data40.duration;
if(typeof data45 === "string"){
if(!pattern76.test(data45)){
const err87 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/duration",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$"},message:"must match pattern \""+"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$"+"\""};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
else {
const err88 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4+"/duration",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
}
}
else {
const err89 = {instancePath:instancePath+"/spec/disruption/budgets/" + i4,schemaPath:"#/properties/spec/properties/disruption/properties/budgets/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
}
}
else {
const err90 = {instancePath:instancePath+"/spec/disruption/budgets",schemaPath:"#/properties/spec/properties/disruption/properties/budgets/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
}
}
else {
const err91 = {instancePath:instancePath+"/spec/disruption",schemaPath:"#/properties/spec/properties/disruption/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
}
if(data3.limits !== undefined){
let data46 = data3.limits;
if(data46 && typeof data46 == "object" && !Array.isArray(data46)){
for(const key2 in data46){
let data47 = data46[key2];
const _errs97 = errors;
let valid26 = false;
const _errs98 = errors;
if(!((typeof data47 == "number") && (!(data47 % 1) && !isNaN(data47)))){
const err92 = {instancePath:instancePath+"/spec/limits/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/limits/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
var _valid0 = _errs98 === errors;
valid26 = valid26 || _valid0;
if(!valid26){
const _errs100 = errors;
if(typeof data47 !== "string"){
const err93 = {instancePath:instancePath+"/spec/limits/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/limits/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
var _valid0 = _errs100 === errors;
valid26 = valid26 || _valid0;
}
if(!valid26){
const err94 = {instancePath:instancePath+"/spec/limits/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/limits/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
else {
errors = _errs97;
if(vErrors !== null){
if(_errs97){
vErrors.length = _errs97;
}
else {
vErrors = null;
}
}
}
if(typeof data47 === "string"){
if(!pattern0.test(data47)){
const err95 = {instancePath:instancePath+"/spec/limits/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/limits/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
}
}
}
else {
const err96 = {instancePath:instancePath+"/spec/limits",schemaPath:"#/properties/spec/properties/limits/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
}
if(data3.weight !== undefined){
let data48 = data3.weight;
if(!((typeof data48 == "number") && (!(data48 % 1) && !isNaN(data48)))){
const err97 = {instancePath:instancePath+"/spec/weight",schemaPath:"#/properties/spec/properties/weight/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
if(typeof data48 == "number"){
if(data48 > 100 || isNaN(data48)){
const err98 = {instancePath:instancePath+"/spec/weight",schemaPath:"#/properties/spec/properties/weight/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100},message:"must be <= 100"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
if(data48 < 1 || isNaN(data48)){
const err99 = {instancePath:instancePath+"/spec/weight",schemaPath:"#/properties/spec/properties/weight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
}
if(data3.replicas !== undefined){
let data49 = data3.replicas;
if(!((typeof data49 == "number") && (!(data49 % 1) && !isNaN(data49)))){
const err100 = {instancePath:instancePath+"/spec/replicas",schemaPath:"#/properties/spec/properties/replicas/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
if(typeof data49 == "number"){
if(data49 < 0 || isNaN(data49)){
const err101 = {instancePath:instancePath+"/spec/replicas",schemaPath:"#/properties/spec/properties/replicas/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
}
}
}
else {
const err102 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
}
if(data.status !== undefined){
let data50 = data.status;
if(data50 && typeof data50 == "object" && !Array.isArray(data50)){
if(data50.resources !== undefined){
let data51 = data50.resources;
if(data51 && typeof data51 == "object" && !Array.isArray(data51)){
for(const key3 in data51){
let data52 = data51[key3];
const _errs112 = errors;
let valid29 = false;
const _errs113 = errors;
if(!((typeof data52 == "number") && (!(data52 % 1) && !isNaN(data52)))){
const err103 = {instancePath:instancePath+"/status/resources/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/resources/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
var _valid1 = _errs113 === errors;
valid29 = valid29 || _valid1;
if(!valid29){
const _errs115 = errors;
if(typeof data52 !== "string"){
const err104 = {instancePath:instancePath+"/status/resources/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/resources/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
var _valid1 = _errs115 === errors;
valid29 = valid29 || _valid1;
}
if(!valid29){
const err105 = {instancePath:instancePath+"/status/resources/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/resources/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
else {
errors = _errs112;
if(vErrors !== null){
if(_errs112){
vErrors.length = _errs112;
}
else {
vErrors = null;
}
}
}
if(typeof data52 === "string"){
if(!pattern0.test(data52)){
const err106 = {instancePath:instancePath+"/status/resources/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/resources/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
}
}
}
else {
const err107 = {instancePath:instancePath+"/status/resources",schemaPath:"#/properties/status/properties/resources/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
}
if(data50.nodes !== undefined){
let data53 = data50.nodes;
if(!((typeof data53 == "number") && (!(data53 % 1) && !isNaN(data53)))){
const err108 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
}
if(data50.nodeClassObservedGeneration !== undefined){
let data54 = data50.nodeClassObservedGeneration;
if(!((typeof data54 == "number") && (!(data54 % 1) && !isNaN(data54)))){
const err109 = {instancePath:instancePath+"/status/nodeClassObservedGeneration",schemaPath:"#/properties/status/properties/nodeClassObservedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
}
if(data50.conditions !== undefined){
let data55 = data50.conditions;
if(Array.isArray(data55)){
const len6 = data55.length;
for(let i6=0; i6<len6; i6++){
let data56 = data55[i6];
if(data56 && typeof data56 == "object" && !Array.isArray(data56)){
if(data56.lastTransitionTime === undefined){
const err110 = {instancePath:instancePath+"/status/conditions/" + i6,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
if(data56.message === undefined){
const err111 = {instancePath:instancePath+"/status/conditions/" + i6,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
if(data56.reason === undefined){
const err112 = {instancePath:instancePath+"/status/conditions/" + i6,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
if(data56.status === undefined){
const err113 = {instancePath:instancePath+"/status/conditions/" + i6,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
if(data56.type === undefined){
const err114 = {instancePath:instancePath+"/status/conditions/" + i6,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
if(data56.type !== undefined){
let data57 = data56.type;
if(typeof data57 === "string"){
if(data57.length > 316){
const err115 = {instancePath:instancePath+"/status/conditions/" + i6+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
if(!pattern1.test(data57)){
const err116 = {instancePath:instancePath+"/status/conditions/" + i6+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"+"\""};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
}
else {
const err117 = {instancePath:instancePath+"/status/conditions/" + i6+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
}
if(data56.status !== undefined){
let data58 = data56.status;
if(typeof data58 !== "string"){
const err118 = {instancePath:instancePath+"/status/conditions/" + i6+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err118];
}
else {
vErrors.push(err118);
}
errors++;
}
if(!(((data58 === "True") || (data58 === "False")) || (data58 === "Unknown"))){
const err119 = {instancePath:instancePath+"/status/conditions/" + i6+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema16.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err119];
}
else {
vErrors.push(err119);
}
errors++;
}
}
if(data56.lastTransitionTime !== undefined){
if(typeof data56.lastTransitionTime !== "string"){
const err120 = {instancePath:instancePath+"/status/conditions/" + i6+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
}
if(data56.observedGeneration !== undefined){
let data60 = data56.observedGeneration;
if(!((typeof data60 == "number") && (!(data60 % 1) && !isNaN(data60)))){
const err121 = {instancePath:instancePath+"/status/conditions/" + i6+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
if(typeof data60 == "number"){
if(data60 < 0 || isNaN(data60)){
const err122 = {instancePath:instancePath+"/status/conditions/" + i6+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
}
}
if(data56.reason !== undefined){
let data61 = data56.reason;
if(typeof data61 === "string"){
if(data61.length > 1024){
const err123 = {instancePath:instancePath+"/status/conditions/" + i6+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err123];
}
else {
vErrors.push(err123);
}
errors++;
}
if(data61.length < 1){
const err124 = {instancePath:instancePath+"/status/conditions/" + i6+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err124];
}
else {
vErrors.push(err124);
}
errors++;
}
if(!pattern2.test(data61)){
const err125 = {instancePath:instancePath+"/status/conditions/" + i6+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},message:"must match pattern \""+"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"+"\""};
if(vErrors === null){
vErrors = [err125];
}
else {
vErrors.push(err125);
}
errors++;
}
}
else {
const err126 = {instancePath:instancePath+"/status/conditions/" + i6+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err126];
}
else {
vErrors.push(err126);
}
errors++;
}
}
if(data56.message !== undefined){
let data62 = data56.message;
if(typeof data62 === "string"){
if(data62.length > 32768){
const err127 = {instancePath:instancePath+"/status/conditions/" + i6+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err127];
}
else {
vErrors.push(err127);
}
errors++;
}
}
else {
const err128 = {instancePath:instancePath+"/status/conditions/" + i6+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err128];
}
else {
vErrors.push(err128);
}
errors++;
}
}
}
else {
const err129 = {instancePath:instancePath+"/status/conditions/" + i6,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err129];
}
else {
vErrors.push(err129);
}
errors++;
}
}
}
else {
const err130 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err130];
}
else {
vErrors.push(err130);
}
errors++;
}
}
if(data50.observedGeneration !== undefined){
let data63 = data50.observedGeneration;
if(!((typeof data63 == "number") && (!(data63 % 1) && !isNaN(data63)))){
const err131 = {instancePath:instancePath+"/status/observedGeneration",schemaPath:"#/properties/status/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err131];
}
else {
vErrors.push(err131);
}
errors++;
}
}
if(data50.currentHash !== undefined){
if(typeof data50.currentHash !== "string"){
const err132 = {instancePath:instancePath+"/status/currentHash",schemaPath:"#/properties/status/properties/currentHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err132];
}
else {
vErrors.push(err132);
}
errors++;
}
}
if(data50.targetHash !== undefined){
if(typeof data50.targetHash !== "string"){
const err133 = {instancePath:instancePath+"/status/targetHash",schemaPath:"#/properties/status/properties/targetHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err133];
}
else {
vErrors.push(err133);
}
errors++;
}
}
if(data50.target !== undefined){
if(typeof data50.target !== "string"){
const err134 = {instancePath:instancePath+"/status/target",schemaPath:"#/properties/status/properties/target/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err134];
}
else {
vErrors.push(err134);
}
errors++;
}
}
if(data50.upToDateNodes !== undefined){
let data67 = data50.upToDateNodes;
if(!((typeof data67 == "number") && (!(data67 % 1) && !isNaN(data67)))){
const err135 = {instancePath:instancePath+"/status/upToDateNodes",schemaPath:"#/properties/status/properties/upToDateNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err135];
}
else {
vErrors.push(err135);
}
errors++;
}
}
if(data50.driftedNodes !== undefined){
let data68 = data50.driftedNodes;
if(!((typeof data68 == "number") && (!(data68 % 1) && !isNaN(data68)))){
const err136 = {instancePath:instancePath+"/status/driftedNodes",schemaPath:"#/properties/status/properties/driftedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err136];
}
else {
vErrors.push(err136);
}
errors++;
}
}
if(data50.readyNodes !== undefined){
let data69 = data50.readyNodes;
if(!((typeof data69 == "number") && (!(data69 % 1) && !isNaN(data69)))){
const err137 = {instancePath:instancePath+"/status/readyNodes",schemaPath:"#/properties/status/properties/readyNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err137];
}
else {
vErrors.push(err137);
}
errors++;
}
}
if(data50.blockedNodes !== undefined){
let data70 = data50.blockedNodes;
if(!((typeof data70 == "number") && (!(data70 % 1) && !isNaN(data70)))){
const err138 = {instancePath:instancePath+"/status/blockedNodes",schemaPath:"#/properties/status/properties/blockedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err138];
}
else {
vErrors.push(err138);
}
errors++;
}
}
if(data50.blockedBy !== undefined){
let data71 = data50.blockedBy;
if(Array.isArray(data71)){
if(data71.length > 10){
const err139 = {instancePath:instancePath+"/status/blockedBy",schemaPath:"#/properties/status/properties/blockedBy/maxItems",keyword:"maxItems",params:{limit: 10},message:"must NOT have more than 10 items"};
if(vErrors === null){
vErrors = [err139];
}
else {
vErrors.push(err139);
}
errors++;
}
const len7 = data71.length;
for(let i7=0; i7<len7; i7++){
let data72 = data71[i7];
if(data72 && typeof data72 == "object" && !Array.isArray(data72)){
if(data72.reason === undefined){
const err140 = {instancePath:instancePath+"/status/blockedBy/" + i7,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err140];
}
else {
vErrors.push(err140);
}
errors++;
}
if(data72.nodes === undefined){
const err141 = {instancePath:instancePath+"/status/blockedBy/" + i7,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err141];
}
else {
vErrors.push(err141);
}
errors++;
}
if(data72.message === undefined){
const err142 = {instancePath:instancePath+"/status/blockedBy/" + i7,schemaPath:"#/properties/status/properties/blockedBy/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err142];
}
else {
vErrors.push(err142);
}
errors++;
}
if(data72.reason !== undefined){
if(typeof data72.reason !== "string"){
const err143 = {instancePath:instancePath+"/status/blockedBy/" + i7+"/reason",schemaPath:"#/properties/status/properties/blockedBy/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err143];
}
else {
vErrors.push(err143);
}
errors++;
}
}
if(data72.nodes !== undefined){
let data74 = data72.nodes;
if(!((typeof data74 == "number") && (!(data74 % 1) && !isNaN(data74)))){
const err144 = {instancePath:instancePath+"/status/blockedBy/" + i7+"/nodes",schemaPath:"#/properties/status/properties/blockedBy/items/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err144];
}
else {
vErrors.push(err144);
}
errors++;
}
}
if(data72.message !== undefined){
let data75 = data72.message;
if(typeof data75 === "string"){
if(data75.length > 1024){
const err145 = {instancePath:instancePath+"/status/blockedBy/" + i7+"/message",schemaPath:"#/properties/status/properties/blockedBy/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err145];
}
else {
vErrors.push(err145);
}
errors++;
}
}
else {
const err146 = {instancePath:instancePath+"/status/blockedBy/" + i7+"/message",schemaPath:"#/properties/status/properties/blockedBy/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err146];
}
else {
vErrors.push(err146);
}
errors++;
}
}
}
else {
const err147 = {instancePath:instancePath+"/status/blockedBy/" + i7,schemaPath:"#/properties/status/properties/blockedBy/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err147];
}
else {
vErrors.push(err147);
}
errors++;
}
}
}
else {
const err148 = {instancePath:instancePath+"/status/blockedBy",schemaPath:"#/properties/status/properties/blockedBy/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err148];
}
else {
vErrors.push(err148);
}
errors++;
}
}
if(data50.rollout !== undefined){
let data76 = data50.rollout;
if(data76 && typeof data76 == "object" && !Array.isArray(data76)){
if(data76.policy !== undefined){
if(typeof data76.policy !== "string"){
const err149 = {instancePath:instancePath+"/status/rollout/policy",schemaPath:"#/properties/status/properties/rollout/properties/policy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err149];
}
else {
vErrors.push(err149);
}
errors++;
}
}
if(data76.phase !== undefined){
let data78 = data76.phase;
if(typeof data78 !== "string"){
const err150 = {instancePath:instancePath+"/status/rollout/phase",schemaPath:"#/properties/status/properties/rollout/properties/phase/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err150];
}
else {
vErrors.push(err150);
}
errors++;
}
if(!(((((((((data78 === "Idle") || (data78 === "Waiting")) || (data78 === "AwaitingApproval")) || (data78 === "Progressing")) || (data78 === "Soaking")) || (data78 === "Paused")) || (data78 === "Halted")) || (data78 === "RollingBack")) || (data78 === "Completed"))){
const err151 = {instancePath:instancePath+"/status/rollout/phase",schemaPath:"#/properties/status/properties/rollout/properties/phase/enum",keyword:"enum",params:{allowedValues: schema16.properties.status.properties.rollout.properties.phase.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err151];
}
else {
vErrors.push(err151);
}
errors++;
}
}
if(data76.reason !== undefined){
if(typeof data76.reason !== "string"){
const err152 = {instancePath:instancePath+"/status/rollout/reason",schemaPath:"#/properties/status/properties/rollout/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err152];
}
else {
vErrors.push(err152);
}
errors++;
}
}
if(data76.message !== undefined){
let data80 = data76.message;
if(typeof data80 === "string"){
if(data80.length > 32768){
const err153 = {instancePath:instancePath+"/status/rollout/message",schemaPath:"#/properties/status/properties/rollout/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err153];
}
else {
vErrors.push(err153);
}
errors++;
}
}
else {
const err154 = {instancePath:instancePath+"/status/rollout/message",schemaPath:"#/properties/status/properties/rollout/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err154];
}
else {
vErrors.push(err154);
}
errors++;
}
}
if(data76.revision !== undefined){
if(typeof data76.revision !== "string"){
const err155 = {instancePath:instancePath+"/status/rollout/revision",schemaPath:"#/properties/status/properties/rollout/properties/revision/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err155];
}
else {
vErrors.push(err155);
}
errors++;
}
}
if(data76.step !== undefined){
let data82 = data76.step;
if(!((typeof data82 == "number") && (!(data82 % 1) && !isNaN(data82)))){
const err156 = {instancePath:instancePath+"/status/rollout/step",schemaPath:"#/properties/status/properties/rollout/properties/step/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err156];
}
else {
vErrors.push(err156);
}
errors++;
}
}
if(data76.steps !== undefined){
let data83 = data76.steps;
if(!((typeof data83 == "number") && (!(data83 % 1) && !isNaN(data83)))){
const err157 = {instancePath:instancePath+"/status/rollout/steps",schemaPath:"#/properties/status/properties/rollout/properties/steps/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err157];
}
else {
vErrors.push(err157);
}
errors++;
}
}
if(data76.totalNodes !== undefined){
let data84 = data76.totalNodes;
if(!((typeof data84 == "number") && (!(data84 % 1) && !isNaN(data84)))){
const err158 = {instancePath:instancePath+"/status/rollout/totalNodes",schemaPath:"#/properties/status/properties/rollout/properties/totalNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err158];
}
else {
vErrors.push(err158);
}
errors++;
}
}
if(data76.updatedNodes !== undefined){
let data85 = data76.updatedNodes;
if(!((typeof data85 == "number") && (!(data85 % 1) && !isNaN(data85)))){
const err159 = {instancePath:instancePath+"/status/rollout/updatedNodes",schemaPath:"#/properties/status/properties/rollout/properties/updatedNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err159];
}
else {
vErrors.push(err159);
}
errors++;
}
}
if(data76.startTime !== undefined){
if(typeof data76.startTime !== "string"){
const err160 = {instancePath:instancePath+"/status/rollout/startTime",schemaPath:"#/properties/status/properties/rollout/properties/startTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err160];
}
else {
vErrors.push(err160);
}
errors++;
}
}
if(data76.stepStartTime !== undefined){
if(typeof data76.stepStartTime !== "string"){
const err161 = {instancePath:instancePath+"/status/rollout/stepStartTime",schemaPath:"#/properties/status/properties/rollout/properties/stepStartTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err161];
}
else {
vErrors.push(err161);
}
errors++;
}
}
if(data76.completionTime !== undefined){
if(typeof data76.completionTime !== "string"){
const err162 = {instancePath:instancePath+"/status/rollout/completionTime",schemaPath:"#/properties/status/properties/rollout/properties/completionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err162];
}
else {
vErrors.push(err162);
}
errors++;
}
}
}
else {
const err163 = {instancePath:instancePath+"/status/rollout",schemaPath:"#/properties/status/properties/rollout/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err163];
}
else {
vErrors.push(err163);
}
errors++;
}
}
}
else {
const err164 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err164];
}
else {
vErrors.push(err164);
}
errors++;
}
}
}
else {
const err165 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err165];
}
else {
vErrors.push(err165);
}
errors++;
}
validate15.errors = vErrors;
return errors === 0;
}

export const validateNodeOverlay = validate16;
const schema17 = {"type":"object","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"const":"karpenter.sh/v1alpha1"},"kind":{"const":"NodeOverlay"},"metadata":{"type":"object"},"spec":{"type":"object","required":["requirements"],"properties":{"requirements":{"type":"array","maxItems":100,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},"operator":{"type":"string","enum":["Gte","Lte","In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":"array","items":{"type":"string"}}}}},"price":{"type":"string","pattern":"^\\d+(\\.\\d+)?$"},"priceAdjustment":{"type":"string","pattern":"^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$"},"capacity":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}},"weight":{"type":"integer","minimum":1,"maximum":10000}}},"status":{"type":"object","properties":{"conditions":{"type":"array","items":{"type":"object","required":["lastTransitionTime","message","reason","status","type"],"properties":{"type":{"type":"string","maxLength":316,"pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},"status":{"type":"string","enum":["True","False","Unknown"]},"lastTransitionTime":{"type":"string"},"observedGeneration":{"type":"integer","minimum":0},"reason":{"type":"string","minLength":1,"maxLength":1024,"pattern":"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},"message":{"type":"string","maxLength":32768}}}}}}}};
const pattern82 = func2("^\\d+(\\.\\d+)?$", "");
const pattern83 = func2("^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$", "");

function validate16(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.apiVersion !== undefined){
if("karpenter.sh/v1alpha1" !== data.apiVersion){
const err4 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "karpenter.sh/v1alpha1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.kind !== undefined){
if("NodeOverlay" !== data.kind){
const err5 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "NodeOverlay"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
const err6 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.spec !== undefined){
let data3 = data.spec;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.requirements === undefined){
const err7 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "requirements"},message:"must have required property '"+"requirements"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data3.requirements !== undefined){
let data4 = data3.requirements;
if(Array.isArray(data4)){
if(data4.length > 100){
const err8 = {instancePath:instancePath+"/spec/requirements",schemaPath:"#/properties/spec/properties/requirements/maxItems",keyword:"maxItems",params:{limit: 100},message:"must NOT have more than 100 items"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
let data5 = data4[i0];
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
if(data5.key === undefined){
const err9 = {instancePath:instancePath+"/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/requirements/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data5.operator === undefined){
const err10 = {instancePath:instancePath+"/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/requirements/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(data5.key !== undefined){
let data6 = data5.key;
if(typeof data6 === "string"){
if(data6.length > 316){
const err11 = {instancePath:instancePath+"/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/requirements/items/properties/key/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(!pattern52.test(data6)){
const err12 = {instancePath:instancePath+"/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/requirements/items/properties/key/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"+"\""};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
else {
const err13 = {instancePath:instancePath+"/spec/requirements/" + i0+"/key",schemaPath:"#/properties/spec/properties/requirements/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data5.operator !== undefined){
let data7 = data5.operator;
if(typeof data7 !== "string"){
const err14 = {instancePath:instancePath+"/spec/requirements/" + i0+"/operator",schemaPath:"#/properties/spec/properties/requirements/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(!((((((((data7 === "Gte") || (data7 === "Lte")) || (data7 === "In")) || (data7 === "NotIn")) || (data7 === "Exists")) || (data7 === "DoesNotExist")) || (data7 === "Gt")) || (data7 === "Lt"))){
const err15 = {instancePath:instancePath+"/spec/requirements/" + i0+"/operator",schemaPath:"#/properties/spec/properties/requirements/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema17.properties.spec.properties.requirements.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
if(data5.values !== undefined){
let data8 = data5.values;
if(Array.isArray(data8)){
const len1 = data8.length;
for(let i1=0; i1<len1; i1++){
if(typeof data8[i1] !== "string"){
const err16 = {instancePath:instancePath+"/spec/requirements/" + i0+"/values/" + i1,schemaPath:"#/properties/spec/properties/requirements/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
}
else {
const err17 = {instancePath:instancePath+"/spec/requirements/" + i0+"/values",schemaPath:"#/properties/spec/properties/requirements/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
else {
const err18 = {instancePath:instancePath+"/spec/requirements/" + i0,schemaPath:"#/properties/spec/properties/requirements/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
}
else {
const err19 = {instancePath:instancePath+"/spec/requirements",schemaPath:"#/properties/spec/properties/requirements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data3.price !== undefined){
let data10 = data3.price;
if(typeof data10 === "string"){
if(!pattern82.test(data10)){
const err20 = {instancePath:instancePath+"/spec/price",schemaPath:"#/properties/spec/properties/price/pattern",keyword:"pattern",params:{pattern: "^\\d+(\\.\\d+)?$"},message:"must match pattern \""+"^\\d+(\\.\\d+)?$"+"\""};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
else {
const err21 = {instancePath:instancePath+"/spec/price",schemaPath:"#/properties/spec/properties/price/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data3.priceAdjustment !== undefined){
let data11 = data3.priceAdjustment;
if(typeof data11 === "string"){
if(!pattern83.test(data11)){
const err22 = {instancePath:instancePath+"/spec/priceAdjustment",schemaPath:"#/properties/spec/properties/priceAdjustment/pattern",keyword:"pattern",params:{pattern: "^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$"},message:"must match pattern \""+"^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$"+"\""};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
else {
const err23 = {instancePath:instancePath+"/spec/priceAdjustment",schemaPath:"#/properties/spec/properties/priceAdjustment/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data3.capacity !== undefined){
let data12 = data3.capacity;
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
for(const key0 in data12){
let data13 = data12[key0];
const _errs27 = errors;
let valid8 = false;
const _errs28 = errors;
if(!((typeof data13 == "number") && (!(data13 % 1) && !isNaN(data13)))){
const err24 = {instancePath:instancePath+"/spec/capacity/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/capacity/additionalProperties/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
var _valid0 = _errs28 === errors;
valid8 = valid8 || _valid0;
if(!valid8){
const _errs30 = errors;
if(typeof data13 !== "string"){
const err25 = {instancePath:instancePath+"/spec/capacity/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/capacity/additionalProperties/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
var _valid0 = _errs30 === errors;
valid8 = valid8 || _valid0;
}
if(!valid8){
const err26 = {instancePath:instancePath+"/spec/capacity/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/capacity/additionalProperties/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
else {
errors = _errs27;
if(vErrors !== null){
if(_errs27){
vErrors.length = _errs27;
}
else {
vErrors = null;
}
}
}
if(typeof data13 === "string"){
if(!pattern0.test(data13)){
const err27 = {instancePath:instancePath+"/spec/capacity/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/capacity/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},message:"must match pattern \""+"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"+"\""};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
}
}
else {
const err28 = {instancePath:instancePath+"/spec/capacity",schemaPath:"#/properties/spec/properties/capacity/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data3.weight !== undefined){
let data14 = data3.weight;
if(!((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14)))){
const err29 = {instancePath:instancePath+"/spec/weight",schemaPath:"#/properties/spec/properties/weight/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
if(typeof data14 == "number"){
if(data14 > 10000 || isNaN(data14)){
const err30 = {instancePath:instancePath+"/spec/weight",schemaPath:"#/properties/spec/properties/weight/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
if(data14 < 1 || isNaN(data14)){
const err31 = {instancePath:instancePath+"/spec/weight",schemaPath:"#/properties/spec/properties/weight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
}
}
else {
const err32 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
if(data.status !== undefined){
let data15 = data.status;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.conditions !== undefined){
let data16 = data15.conditions;
if(Array.isArray(data16)){
const len2 = data16.length;
for(let i2=0; i2<len2; i2++){
let data17 = data16[i2];
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
if(data17.lastTransitionTime === undefined){
const err33 = {instancePath:instancePath+"/status/conditions/" + i2,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
if(data17.message === undefined){
const err34 = {instancePath:instancePath+"/status/conditions/" + i2,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
if(data17.reason === undefined){
const err35 = {instancePath:instancePath+"/status/conditions/" + i2,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
if(data17.status === undefined){
const err36 = {instancePath:instancePath+"/status/conditions/" + i2,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
if(data17.type === undefined){
const err37 = {instancePath:instancePath+"/status/conditions/" + i2,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
if(data17.type !== undefined){
let data18 = data17.type;
if(typeof data18 === "string"){
if(data18.length > 316){
const err38 = {instancePath:instancePath+"/status/conditions/" + i2+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if(!pattern1.test(data18)){
const err39 = {instancePath:instancePath+"/status/conditions/" + i2+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"},message:"must match pattern \""+"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"+"\""};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
else {
const err40 = {instancePath:instancePath+"/status/conditions/" + i2+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
if(data17.status !== undefined){
let data19 = data17.status;
if(typeof data19 !== "string"){
const err41 = {instancePath:instancePath+"/status/conditions/" + i2+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
if(!(((data19 === "True") || (data19 === "False")) || (data19 === "Unknown"))){
const err42 = {instancePath:instancePath+"/status/conditions/" + i2+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema17.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data17.lastTransitionTime !== undefined){
if(typeof data17.lastTransitionTime !== "string"){
const err43 = {instancePath:instancePath+"/status/conditions/" + i2+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
if(data17.observedGeneration !== undefined){
let data21 = data17.observedGeneration;
if(!((typeof data21 == "number") && (!(data21 % 1) && !isNaN(data21)))){
const err44 = {instancePath:instancePath+"/status/conditions/" + i2+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
if(typeof data21 == "number"){
if(data21 < 0 || isNaN(data21)){
const err45 = {instancePath:instancePath+"/status/conditions/" + i2+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
}
if(data17.reason !== undefined){
let data22 = data17.reason;
if(typeof data22 === "string"){
if(data22.length > 1024){
const err46 = {instancePath:instancePath+"/status/conditions/" + i2+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if(data22.length < 1){
const err47 = {instancePath:instancePath+"/status/conditions/" + i2+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
if(!pattern2.test(data22)){
const err48 = {instancePath:instancePath+"/status/conditions/" + i2+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},message:"must match pattern \""+"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"+"\""};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
else {
const err49 = {instancePath:instancePath+"/status/conditions/" + i2+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data17.message !== undefined){
let data23 = data17.message;
if(typeof data23 === "string"){
if(data23.length > 32768){
const err50 = {instancePath:instancePath+"/status/conditions/" + i2+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 32768},message:"must NOT have more than 32768 characters"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
else {
const err51 = {instancePath:instancePath+"/status/conditions/" + i2+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
}
else {
const err52 = {instancePath:instancePath+"/status/conditions/" + i2,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
}
else {
const err53 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
}
else {
const err54 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
}
else {
const err55 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
validate16.errors = vErrors;
return errors === 0;
}
