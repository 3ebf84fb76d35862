import { type PriceTable, priceTable } from './price-table.ts'

/**
 * On-demand Linux prices of regions that the Pricing API does not serve or serves in another currency, per hour in the region's own
 * currency, in the form of the table of us-east-1.
 */
export const regionalPrices: Readonly<Record<string, PriceTable>> = {
  'us-gov-east-1': priceTable(
    `
  c5=0.102 c5a=0.092 c5d=0.116 c5n=0.13 c6g=0.0816 c6gd=0.0928 c6gn=0.104 c6i=0.102 c6in=0.1365 c7g=0.0867
  c7gd=0.1096188 c7i=0.1071 c8gn=0.1426375 d2=0.414 g4dn=0.1714375 g6=0.1752848 i3=0.188 i3en=0.273 i4i=0.20675
  i7i=0.2274792 i7ie=0.31395 i8g=0.2068 i8ge=0.28665 m5=0.121 m5a=0.109 m5d=0.143 m5dn=0.171 m5n=0.149 m6g=0.0968
  m6gd=0.1144 m6i=0.121 m7g=0.1028 m7i=0.12705 m7i-flex=0.1207 m8g=0.11308 m8gd=0.146 m8i=0.1334 m8i-flex=0.12674
  r5=0.151 r5a=0.136 r5d=0.173 r5dn=0.201 r5n=0.179 r6g=0.1208 r6gd=0.1384 r6i=0.151 r7g=0.1283583 r7gd=0.1634792
  r7i=0.15855 r8g=0.1412 r8gd=0.17656 r8i=0.16648 r8i-flex=0.15816 t3=0.0976 t3a=0.08785 t4g=0.0784 x1=0.2500938
  x1e=0.5 x2idn=0.2500938 x2iedn=0.5001875
`,
    `
  c6g.metal=2.7679 c7i.metal-24xl=5.65488 g4dn.12xlarge=4.931 g4dn.2xlarge=0.948 g4dn.4xlarge=1.518
  g4dn.xlarge=0.663 g6.12xlarge=5.80003 g6.16xlarge=4.28145 g6.2xlarge=1.2322 g6.4xlarge=1.66781
  g6.8xlarge=2.53903 g6.xlarge=1.0144 gr6.4xlarge=1.9401 gr6.8xlarge=3.08359 hpc6a.48xlarge=3.467
  i4i.12xlarge=4.963 i4i.16xlarge=6.618 i4i.24xlarge=9.9264 i4i.32xlarge=13.2352 i4i.8xlarge=3.309 i4i.large=0.207
  i4i.metal=13.235 i4i.xlarge=0.414 i7i.metal-24xl=11.5954 i7i.metal-48xl=23.1908 i7ie.metal-24xl=16.0476
  i7ie.metal-48xl=32.0953 i8g.metal-24xl=10.91904 i8g.metal-48xl=21.83808 i8ge.metal-24xl=14.6513
  i8ge.metal-48xl=29.3026 inf1.24xlarge=5.953 inf1.2xlarge=0.456 inf1.6xlarge=1.488 inf1.xlarge=0.288
  m6g.metal=3.2835 m6gd.metal=3.8804 m7i.metal-24xl=6.70824 m8g.metal-24xl=5.97062 m8gd.metal-24xl=7.7088
  p3dn.24xlarge=37.454 p6-b200.48xlarge=136.71936 p6-b300.48xlarge=170.9 r6g.metal=4.0975 r7i.metal-24xl=8.37144
  r8g.metal-24xl=7.45536 r8gd.metal-24xl=9.32237 r8i.metal-48xl=17.58029 u-12tb1.112xlarge=130.867
  u-24tb1.112xlarge=261.73 u-6tb1.112xlarge=65.433 u-6tb1.56xlarge=55.61075 u-9tb1.112xlarge=98.15
  u7i-12tb.224xlarge=150.49696 u7i-6tb.112xlarge=75.24795 u7in-16tb.224xlarge=216.28384
  u7in-24tb.224xlarge=324.44368
`,
  ),
  'us-gov-west-1': priceTable(
    `
  c1=0.314 c3=0.126 c4=0.11975 c5=0.102 c5a=0.092 c5d=0.116 c5n=0.13 c6g=0.0816 c6gd=0.0928 c6gn=0.104 c6i=0.102
  c6id=0.1218 c6in=0.1365 c7g=0.0867 c7gd=0.1096188 c7i=0.1071 c7i-flex=0.10175 c8g=0.09538 c8gn=0.1426375
  d2=0.414 d3=0.299235 f1=0.495 g3=0.165 g4dn=0.1714375 g6=0.1752848 i2=0.5115 i3=0.188 i3en=0.273 i4i=0.20675
  i7i=0.2274792 i7ie=0.31395 i8g=0.2068 i8ge=0.28665 m1=0.2115 m2=0.1465 m3=0.168 m4=0.126 m5=0.121 m5a=0.109
  m5ad=0.131 m5d=0.143 m5dn=0.171 m5n=0.149 m6g=0.0968 m6gd=0.1144 m6i=0.121 m6id=0.1502 m6idn=0.20007
  m6in=0.17433 m7g=0.1028375 m7i=0.12705 m7i-flex=0.1207 m8a=0.15341 m8g=0.11312 m8gd=0.146 m8i=0.1334
  m8i-flex=0.12674 p2=0.54 p3=0.918 r3=0.1995 r4=0.1596 r5=0.151 r5a=0.136 r5ad=0.158 r5d=0.173 r5dn=0.201
  r5n=0.179 r6g=0.1208 r6gd=0.1384 r6i=0.151 r6id=0.1817 r6idn=0.23517 r6in=0.20943 r7g=0.1283583 r7gd=0.1635375
  r7i=0.15855 r8g=0.141185 r8gd=0.17656 r8i=0.16648 r8i-flex=0.15816 t2=0.1088 t3=0.0976 t3a=0.08785 t4g=0.0784
  x1=0.2500938 x1e=0.5 x2idn=0.2500938 x2iedn=0.5001875 x8i=0.2626
`,
    `
  c4.8xlarge=1.915 c4.large=0.12 c4.xlarge=0.239 c6g.metal=2.7679 c7i.metal-24xl=5.65488 c8g.metal-24xl=5.03606
  cc2.8xlarge=2.25 d3.xlarge=0.598 g3s.xlarge=0.868 g4dn.12xlarge=4.931 g4dn.2xlarge=0.948 g4dn.4xlarge=1.518
  g4dn.metal=9.862 g4dn.xlarge=0.663 g6.12xlarge=5.80003 g6.16xlarge=4.28145 g6.2xlarge=1.2322 g6.4xlarge=1.66781
  g6.8xlarge=2.53903 g6.xlarge=1.0144 gr6.4xlarge=1.9401 gr6.8xlarge=3.08359 hpc6a.48xlarge=3.467
  hpc6id.32xlarge=6.8544 hpc7a.12xlarge=8.6674 hpc7a.24xlarge=8.6674 hpc7a.48xlarge=8.6674 hpc7a.96xlarge=8.6674
  hpc7g.16xlarge=2.0262 hpc7g.4xlarge=2.0262 hpc7g.8xlarge=2.0262 hpc8a.96xlarge=9.5341 hs1.8xlarge=5.52
  i3p.16xlarge=6.016 i4i.12xlarge=4.963 i4i.16xlarge=6.618 i4i.24xlarge=9.9264 i4i.32xlarge=13.2352
  i4i.8xlarge=3.309 i4i.large=0.207 i4i.metal=13.235 i4i.xlarge=0.414 i7i.metal-24xl=11.5954
  i7i.metal-48xl=23.1908 i7ie.metal-24xl=16.0481 i7ie.metal-48xl=32.0962 i8g.metal-24xl=10.91904
  i8g.metal-48xl=21.83808 i8ge.metal-24xl=14.6513 i8ge.metal-48xl=29.3026 inf1.24xlarge=5.953 inf1.2xlarge=0.456
  inf1.6xlarge=1.488 inf1.xlarge=0.288 m1.large=0.211 m1.medium=0.106 m2.4xlarge=1.171 m6g.metal=3.2835
  m6gd.metal=3.8804 m7i.metal-24xl=6.70824 m8a.metal-24xl=8.10005 m8g.metal-24xl=5.97274 m8gd.metal-24xl=7.7088
  p3dn.24xlarge=37.454 p4d.24xlarge=26.3511 p5.48xlarge=66.048 p5.4xlarge=8.256 p5en.48xlarge=75.9552
  p6-b200.48xlarge=136.71936 r3.large=0.2 r6g.metal=4.0975 r7i.metal-24xl=8.37144 r8g.metal-24xl=7.45457
  r8gd.metal-24xl=9.32237 r8i.metal-48xl=17.58029 t1.micro=0.024 u-12tb1.112xlarge=130.867
  u-24tb1.112xlarge=261.73 u-3tb1.56xlarge=32.7165 u-6tb1.112xlarge=65.433 u-6tb1.56xlarge=55.61075
  u-9tb1.112xlarge=98.15 u7i-12tb.224xlarge=150.49696 u7i-6tb.112xlarge=75.24795 u7i-8tb.112xlarge=100.33111
  u7in-16tb.224xlarge=216.28384 u7in-24tb.224xlarge=324.44368 x8i.96xlarge=58.36285 x8i.metal-48xl=27.73056
  x8i.metal-96xl=58.36285
`,
  ),
  'cn-north-1': priceTable(
    `
  c3=1.05425 c4=1.133875 c5=0.739375 c5a=0.6640625 c5d=0.9105 c6g=0.5860167 c6gn=0.74457 c6i=0.7393675
  c7g=0.6284625 d2=3.33625 g3=2.0255594 g4dn=1.3505625 g5=1.604562 i2=5.101875 i3=1.560875 i3en=2.2625
  i4i=1.819375 m3=1.7355 m4=1.406 m5=1.013 m5a=0.9105 m5d=1.273375 m6g=0.8037188 m6i=1.0132075 m7g=0.861225
  p2=5.306 r3=2.4509125 r4=1.9608125 r5=1.2185 r5a=1.09675 r5d=1.47875 r6g=0.9666542 r6gd=1.1706625 r6i=1.2185875
  r7g=1.0364833 t2=0.848 t3=0.52575 t3a=0.4732 t4g=0.405275 x1=2.152375 x2idn=2.1522113 x2iedn=4.3044225
`,
    `
  c3.8xlarge=16.869 c3.large=1.054 c3.xlarge=2.109 c4.2xlarge=4.535 c4.8xlarge=18.141 c4.xlarge=2.268
  c5.18xlarge=26.617 c5.2xlarge=2.957 c5.9xlarge=13.309 c5.large=0.739 c5.xlarge=1.479 c5a.12xlarge=15.937
  c5a.2xlarge=2.656 c5a.4xlarge=5.312 c5d.18xlarge=32.779 c5d.24xlarge=43.705 c5d.large=0.911 c5d.metal=43.705
  c6g.metal=19.3909 d2.xlarge=6.673 g3s.xlarge=11.282 g4dn.12xlarge=38.849 g4dn.2xlarge=7.468 g4dn.4xlarge=11.956
  g4dn.xlarge=5.223 g5.12xlarge=53.64092 g5.16xlarge=38.73646 g5.2xlarge=11.46206 g5.4xlarge=15.3584
  g5.8xlarge=23.15109 g5.xlarge=9.51389 i2.2xlarge=20.407 i2.xlarge=10.204 i3.2xlarge=6.244 i3.xlarge=3.122
  i3en.12xlarge=54.302 i3en.24xlarge=108.605 i3en.3xlarge=13.576 i3en.6xlarge=27.151 i3en.large=2.263
  i4i.16xlarge=58.221 i4i.24xlarge=87.33086 i4i.2xlarge=7.278 i4i.32xlarge=116.44115 i4i.large=1.819
  i4i.xlarge=3.639 inf1.24xlarge=47.342 inf1.2xlarge=3.63 inf1.6xlarge=11.835 inf1.xlarge=2.288 m1.small=0.442
  m3.large=1.735 m3.medium=0.868 m4.10xlarge=28.121 m4.16xlarge=44.995 m4.large=1.405 m4.xlarge=2.815
  m5.12xlarge=24.317 m5.16xlarge=32.423 m5.24xlarge=48.634 m5.2xlarge=4.053 m5.4xlarge=8.106 m5.8xlarge=16.211
  m5.metal=48.634 m5a.16xlarge=29.137 m5a.24xlarge=43.705 m5a.large=0.911 m5d.16xlarge=40.747 m5d.24xlarge=61.121
  m5d.2xlarge=5.093 m5d.large=1.273 m5d.metal=61.121 m5d.xlarge=2.547 m6g.metal=26.4863 p3.16xlarge=288.627
  p3.2xlarge=36.078 p3.8xlarge=144.314 r4.2xlarge=7.842 r4.4xlarge=15.683 r4.large=1.959 r4.xlarge=3.924
  r5.12xlarge=29.246 r5.16xlarge=38.995 r5.24xlarge=58.492 r5.4xlarge=9.749 r5.8xlarge=19.497 r5.large=1.219
  r5.metal=58.492 r5a.16xlarge=35.095 r5a.24xlarge=52.643 r5a.large=1.097 r5a.xlarge=2.193 r5d.24xlarge=70.979
  r5d.large=1.479 r5d.metal=70.979 r5d.xlarge=2.957 r6g.metal=31.847 t1.micro=0.221 t2.large=0.851 t2.medium=0.426
  t2.nano=0.0606 u-12tb1.112xlarge=1074.68508 u-6tb1.112xlarge=537.34254 u-6tb1.56xlarge=456.68119
  u-9tb1.112xlarge=805.97958
`,
  ),
}
